import type { Caller } from "../../caller.ts";
import type { Row } from "../../connectors/rows/row-directory.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import { toBasicCredentials } from "../../secrets/needles/basic-credentials.ts";
import { listManagedUses } from "../../secrets/value-tokens/managed-tokens.ts";
import type { OpenedTokens } from "../../secrets/value-tokens/value-tokens.ts";

/**
 * The values of the tokens of secrets in managers in the params, as they are at the moment of the call. Null if there is
 * none. Throws `needs_setup` if the caller may not use one now, or the row may not get it.
 */
export async function openManaged(
  { ring, mask }: { ring: RingHolder; mask: Mask },
  caller: Caller,
  row: Row,
  params: Record<string, unknown>,
): Promise<OpenedTokens | null> {
  const { references } = row;
  if (references === undefined) return null;
  const owner = { userId: caller.userId, rowId: row.id };
  const uses = listManagedUses(ring.current(), owner, params);
  if (uses.size === 0) return null;
  const opened = new Map<string, string>();
  for (const [token, { reference, user }] of uses) {
    const text = await references.use(reference, caller);
    mask.addSecret(text, { ofRow: true });
    opened.set(token, user === null ? text : toBasicCredentials(user, text));
  }
  return opened;
}
