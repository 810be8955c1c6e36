import type { RowDiscovery } from "@hub/contract/row-discovery.ts";
import type { Actor } from "../../../changes/actor.ts";
import { recordChange, stampChange } from "../../../changes/record-change.ts";
import { findReview } from "../../../connectors/by-row/row-operation.ts";
import { toBadRequest } from "../../../lib/input/check-input.ts";
import { transaction } from "../../../store/database/database.ts";
import { listRowOperations } from "../../../store/rows/row-operations-table.ts";
import { setOperationState } from "../../../store/rows/switches.ts";
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
    for (const key of new Set(operations)) {
      if (!waiting.has(key)) {
        const message = `names "${key.slice(0, 100)}", which is not a new operation of the row.`;
        throw toBadRequest([{ path: "operations", message }]);
      }
      await setOperationState(trx, row.id, key, !hidden, stamp.changedAt);
    }
    const detail = { operations: operations.slice(0, namedMax), count: operations.length };
    const action = hidden ? "operation.disable" : "operation.enable";
    await recordChange(trx, stamp, { action, kind: "row", id: row.id, name: row.label, detail });
    return await readDiscovery(trx, await loadRow(trx, row.id), stored);
  });
}
