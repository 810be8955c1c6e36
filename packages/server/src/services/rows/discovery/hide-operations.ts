import type { RowDiscovery } from "@hub/contract/row-discovery.ts";
import type { Actor } from "../../../changes/actor.ts";
import { recordChange, stampChange } from "../../../changes/record-change.ts";
import { findReview } from "../../../connectors/by-row/row-operation.ts";
import { toBadRequest } from "../../../lib/input/check-input.ts";
import { transaction } from "../../../store/database/database.ts";
import { listRowOperations } from "../../../store/rows/row-operations-table.ts";
import { setOperationStates } from "../../../store/rows/switches.ts";
import { loadRow } from "../load-row.ts";
import { type ChangeDeps, namedMax } from "./change-operations.ts";
import { readDiscovery } from "./present-review.ts";

/** Puts new operations aside, or takes them back: they stay unapproved, and out of the review. */
export async function hideOperations(
  { store, now }: ChangeDeps,
  actor: Actor,
  rowId: string,
  { operations, hidden }: { operations: readonly string[]; hidden: boolean },
): Promise<RowDiscovery> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const row = await loadRow(trx, rowId);
    const stored = await listRowOperations(trx, row.id);
    const waiting = new Set(
      stored.filter((one) => findReview(one) === "new").map(({ key }) => key),
    );
    const keys = [...new Set(operations)];
    const unknown = keys.find((key) => !waiting.has(key));
    if (unknown !== undefined) {
      const message = `names "${unknown.slice(0, 100)}", which is not a new operation of the row.`;
      throw toBadRequest([{ path: "operations", message }]);
    }
    if (keys.length === 0) return await readDiscovery(trx, row, stored);
    await setOperationStates(trx, row.id, keys, !hidden, stamp.changedAt);
    const detail = { operations: keys.slice(0, namedMax), count: keys.length };
    const action = hidden ? "operation.disable" : "operation.enable";
    await recordChange(trx, stamp, { action, kind: "row", id: row.id, name: row.label, detail });
    return await readDiscovery(trx, await loadRow(trx, row.id), stored);
  });
}
