import { isJsonObject, parseJson } from "@hub/connector";
import { findExposedSecrets } from "./find-exposed-secrets.ts";
import { readNamedSecrets } from "./named-secrets.ts";

/** A likely secret in a field that is not secret, and the name under which it can be kept. */
export type ExposedName = { field: string; name: string };

export type SealedTexts = {
  exposed: ExposedName[];
  /** The fields to save instead, by key. */
  texts: ReadonlyMap<string, string>;
};

/**
 * Moves the likely secrets in the address and the arguments of a row into its field `secrets`, whose
 * present text is given. Texts that it does not use are not read.
 */
export function sealExposed(
  plain: ReadonlyMap<string, string>,
  secrets: string | undefined,
): SealedTexts {
  const isProgram = plain.get("transport") === "stdio";
  const url = isProgram ? "" : (plain.get("url") ?? "");
  const rows = isProgram ? readRows(plain.get("args")) : [];
  const named = readNamedSecrets(secrets) ?? new Map<string, string>();
  const found = findExposedSecrets({ url, args: rows }, named.keys());
  const texts = new Map<string, string>();
  if (found.exposed.length > 0) {
    const added = found.exposed.map(({ name, value }) => [name, value] as const);
    texts.set("secrets", JSON.stringify(Object.fromEntries([...named, ...added])));
    if (isProgram) texts.set("args", JSON.stringify(found.args.map((value) => ({ value }))));
    else texts.set("url", found.url);
  }
  return { exposed: found.exposed.map(({ field, name }) => ({ field, name })), texts };
}

function readRows(text: string | undefined): string[] {
  if (text === undefined || text === "") return [];
  try {
    const rows = parseJson(text);
    if (!Array.isArray(rows)) return [];
    return rows.map((row) => (isJsonObject(row) ? String(row.value ?? "") : ""));
  } catch {
    return [];
  }
}
