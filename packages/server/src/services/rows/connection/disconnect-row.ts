import type { Actor } from "../../../changes/actor.ts";
import { recordChange, stampChange } from "../../../changes/record-change.ts";
import {
  openRowConfig,
  prepareSecrets,
  toOutboundPolicy,
} from "../../../connectors/rows/open-row-config.ts";
import { HubError } from "../../../errors.ts";
import { transaction } from "../../../store/database/database.ts";
import { deleteRowConnection, findRowConnection } from "../../../store/rows/row-connections.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { loadRow } from "../load-row.ts";
import type { ConnectDeps } from "./load-connectable.ts";

/**
 * Deletes a row's tokens, then asks the authorization server to end them. `revoked` is null if it does
 * not offer this, and false if it failed.
 */
export async function disconnectRow(
  deps: ConnectDeps,
  actor: Actor,
  rowId: string,
): Promise<{ id: string; label: string; revoked: boolean | null }> {
  const { store, now } = deps;
  const row = await loadRow(store.db, rowId);
  const { id, label } = row;
  const revoke = await prepareRevocation(deps, row);
  const stamp = stampChange(actor, now());
  await transaction(store.db, async (trx) => {
    if (!(await deleteRowConnection(trx, id, stamp.changedAt))) {
      throw new HubError("bad_request", `"${label}" is not connected.`);
    }
    await recordChange(trx, stamp, { action: "row.disconnect", kind: "row", id, name: label });
  });
  return { id, label, revoked: await revoke() };
}

/** The tokens are read before they are deleted. */
async function prepareRevocation(
  { store, ring, references, registry, config }: ConnectDeps,
  row: RowRecord,
): Promise<() => Promise<boolean | null>> {
  const found = await findRowConnection(store.db, row.id);
  if (found === null) return async () => null;
  const { openConnection } = await import("../../../bridges/mcp/oauth/connection-secrets.ts");
  const { revokeTokens } = await import("../../../bridges/mcp/oauth/revoke-tokens.ts");
  try {
    const secrets = await openConnection(ring, row.id, found.sealed);
    const opening = { registry, references, ring: ring.current() };
    await prepareSecrets(opening, row);
    const opened = openRowConfig(opening, row);
    const policy = toOutboundPolicy(opened, config.outboundAllow);
    return () => revokeTokens({ policy }, secrets);
  } catch (thrown) {
    // Without its key, the row can still be disconnected.
    if (!(thrown instanceof HubError)) throw thrown;
    return async () => false;
  }
}
