import { UpstreamError } from "@hub/connector";
import { readNamedValues } from "./secret-pairs.ts";

/** The row's secrets that its address and arguments name as `${NAME}`. Null if the field is not set. */
export type NamedSecrets = ReadonlyMap<string, string> | null;

const reference = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function readNamedSecrets(text: string | undefined): NamedSecrets {
  return text === undefined || text.trim() === "" ? null : new Map(readNamedValues(text));
}

/** Without the field Secrets, a text is what it says: rows had such texts before the field existed. */
export function fillIn(
  secrets: NamedSecrets,
  text: string,
  encode: (value: string) => string = (value) => value,
): string {
  if (secrets === null) return text;
  // A function, because a replacement text would give `$&` in a secret a meaning.
  return text.replace(reference, (_, name: string) => {
    const value = secrets.get(name);
    if (value !== undefined && value !== "") return encode(value);
    throw new UpstreamError(
      `The row's field Secrets has no value for ${name}. An admin can add it.`,
    );
  });
}

/** Names in the path and the query only: a secret must not choose where the request goes. */
export function fillInAddress(secrets: NamedSecrets, address: string): string {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(address)?.[0] ?? "";
  return origin + fillIn(secrets, address.slice(origin.length), encodeURIComponent);
}
