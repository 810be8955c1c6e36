import type { Actor } from "../../../changes/actor.ts";
import { type Change, recordChange, stampChange } from "../../../changes/record-change.ts";
import { HubError } from "../../../errors.ts";
import { type Transaction, transaction } from "../../../store/database/database.ts";
import {
  listRowOperations,
  replaceRowOperations,
  type StoredOperation,
} from "../../../store/rows/row-operations-table.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadRow } from "../load-row.ts";

/** Operations that an answer and a recorded change name. */
export const namedMax = 100;

export type ChangeDeps = Pick<ServiceDeps, "store" | "now">;

type RowChange = Pick<Change, "action" | "detail">;

type OpenOperations = {
  trx: Transaction;
  row: RowRecord;
  stored: readonly StoredOperation[];
  at: number;
  /**
   * Stores all operations of the row, and records the change. Returns the row as it is then. `ofConnector`: its connector defines them,
   * and only marks of them are stored.
   */
  save(
    operations: readonly StoredOperation[],
    change: RowChange,
    ofConnector?: boolean,
  ): Promise<Pick<RowRecord, "id" | "operationsId" | "operationStates">>;
};

/** Changes the stored operations of a row in one transaction with the record of it. Returns what `work` returns. */
export async function changeOperations<Answer>(
  { store, now }: ChangeDeps,
  actor: Actor,
  rowId: string,
  work: (open: OpenOperations) => Promise<Answer>,
): Promise<Answer> {
  const at = now();
  const changeStamp = stampChange(actor, at);
  const operationsId = crypto.randomUUID();
  return await transaction(store.db, async (trx) => {
    const row = await loadRow(trx, rowId);
    const stored = await listRowOperations(trx, row.id);
    return await work({
      trx,
      row,
      stored,
      at,
      async save(operations, change, ofConnector = false) {
        const id = ofConnector ? null : operationsId;
        const given = { operationsId: id, before: stored, operations };
        await replaceRowOperations(trx, row.id, given, at);
        const target = { kind: "row", id: row.id, name: row.label } as const;
        await recordChange(trx, changeStamp, { ...change, ...target });
        return { id: row.id, operationsId, operationStates: row.operationStates };
      },
    });
  });
}

/** Throws `conflict` if the operations of a row, which have the current stamp, are not those with the other one. */
export function checkStamp(current: string | null, stamp: string): void {
  if (current === stamp) return;
  throw new HubError(
    "conflict",
    "The operations of the row have changed since they were shown. Look at them again.",
  );
}

/** The operation with a mark that it only reads, or without one. */
export function withMark({ reads: _, ...operation }: StoredOperation, reads: boolean) {
  return { ...operation, ...(reads && { reads: true as const }) };
}

/** The record of marks that were set or removed. */
export function toReadsChange(reads: boolean, keys: readonly string[]): RowChange {
  const detail = { reads, operations: keys.slice(0, namedMax), count: keys.length };
  return { action: "row.reads", detail };
}
