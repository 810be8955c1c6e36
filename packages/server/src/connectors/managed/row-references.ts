import { HubError } from "../../errors.ts";
import { createRowSecrets, type RowSecrets } from "../../secrets/masks/row-secrets.ts";
import type { ManagedSecrets } from "../../secrets/sources/managed-secrets.ts";
import { checkDestination, type Destination } from "./check-destination.ts";
import { mayUseReference } from "./may-use-reference.ts";

/** The secrets of managers that may be sent to a row in the values of its calls, beside those of its fields. */
export type RowReferences = {
  /** Reads the values that are not current, so that results are searched for them. */
  prepare(): Promise<void>;
  /** The row's own secrets, with the values of all references that name the row, present and former. */
  addTo(own: RowSecrets | null): RowSecrets | null;
  /**
   * The value for a call of this user. Throws `needs_setup` if the user may not use the reference, the row has
   * another address than an admin saw, or the value cannot be read.
   */
  use(id: string, user: ReferenceUser): Promise<string>;
};

type ReferenceUser = Parameters<typeof mayUseReference>[0];

export function createRowReferences(
  managed: ManagedSecrets | undefined,
  ids: readonly string[],
  findDestination: () => Destination,
): RowReferences {
  let joined: { own: RowSecrets | null; texts: string[]; secrets: RowSecrets } | null = null;
  return {
    async prepare() {
      if (ids.length > 0) await managed?.prepare(ids);
    },
    addTo(own) {
      if (managed === undefined || ids.length === 0) return own;
      const texts = ids.flatMap((id) => [...peekValue(managed, id), ...managed.listFormer(id)]);
      if (texts.length === 0) return own;
      // Needles are built once for all calls, as those of the row itself.
      if (joined?.own !== own || !Bun.deepEquals(joined.texts, texts)) {
        const secrets = createRowSecrets([...(own?.texts ?? []), ...texts]);
        joined = { own, texts, secrets };
      }
      return joined.secrets;
    },
    async use(id, user) {
      await managed?.prepare([id]);
      const reference = managed?.find(id);
      if (managed === undefined || !reference) {
        throw refuse("The reference to a secret of a manager was deleted.");
      }
      if (!mayUseReference(user, reference)) {
        throw refuse(`You may not use the secret "${reference.name}".`);
      }
      const { onlyHosts } = checkDestination(reference, findDestination());
      // Only the results of rows that are named are searched for it.
      if (onlyHosts !== null || !ids.includes(id)) {
        throw refuse(`The secret "${reference.name}" may not be sent to this row.`);
      }
      return managed.peek(id);
    },
  };
}

function refuse(reason: string): HubError {
  return new HubError("needs_setup", `${reason} An admin can allow it at Admin → Secret managers.`);
}

function peekValue(managed: ManagedSecrets, id: string): string[] {
  try {
    return [managed.peek(id)];
  } catch {
    // A call that needs it says why there is none.
    return [];
  }
}
