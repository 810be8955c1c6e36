import type { ReadMarks } from "@hub/contract/row-discovery.ts";
import type { Actor } from "../../../changes/actor.ts";
import { type ChangeStamp, recordChange, stampChange } from "../../../changes/record-change.ts";
import { findReview } from "../../../connectors/by-row/row-operation.ts";
import { HubError } from "../../../errors.ts";
import { type Transaction, transaction } from "../../../store/database.ts";
import {
  listRowOperations,
  replaceRowOperations,
  type StoredOperation,
} from "../../../store/row-operations.ts";
import type { RowRecord } from "../../../store/row-record.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadRow } from "../load-row.ts";

type MarkDeps = Pick<ServiceDeps, "store" | "now">;

export type ReadsInput = {
  /**
   * Without it: to mark, all approved operations that the outside system does not describe as destructive; to remove
   * marks, all that have one.
   */
  operations?: readonly string[] | undefined;
  /** False removes the marks. */
  reads: boolean;
};

/** Operations that the answer and the change name. */
const namedMax = 100;

/**
 * Marks approved operations of a row as ones that only read, or removes the marks. A mark is lost when the operation changes.
 * Throws `conflict` for an operation that waits for a review.
 */
export async function markReads(
  { store, now }: MarkDeps,
  actor: Actor,
  rowId: string,
  { operations: named, reads }: ReadsInput,
): Promise<ReadMarks> {
  const at = now();
  const stamp = stampChange(actor, at);
  const operationsId = crypto.randomUUID();
  return await transaction(store.db, async (trx) => {
    const row = await loadRow(trx, rowId);
    const before = await listRowOperations(trx, row.id);
    const chosen = new Set(named === undefined ? findAll(before, reads) : named);
    if (named !== undefined) checkNamed(row, before, chosen, reads);
    const changed = before
      .filter((one) => chosen.has(one.key) && (one.reads === true) !== reads)
      .map(({ key }) => key);
    const answer = { row_id: row.id, reads, operations: changed.slice(0, namedMax) };
    if (changed.length === 0) return { ...answer, count: 0 };
    const operations = before.map((one) => (chosen.has(one.key) ? mark(one, reads) : one));
    await replaceRowOperations(trx, row.id, { operationsId, before, operations }, at);
    await recordMarks(trx, stamp, row, { reads, keys: changed });
    return { ...answer, count: changed.length };
  });
}

/** Records that operations were marked, or lost their marks. */
export async function recordMarks(
  trx: Transaction,
  stamp: ChangeStamp,
  row: RowRecord,
  { reads, keys }: { reads: boolean; keys: readonly string[] },
): Promise<void> {
  const detail = { reads, operations: keys.slice(0, namedMax), count: keys.length };
  await recordChange(trx, stamp, {
    ...{ action: "row.reads", kind: "row", id: row.id, name: row.label },
    detail,
  });
}

function mark({ reads: _, ...operation }: StoredOperation, reads: boolean): StoredOperation {
  return { ...operation, ...(reads && { reads: true }) };
}

function findAll(stored: readonly StoredOperation[], reads: boolean): string[] {
  const chosen = reads
    ? stored.filter((one) => findReview(one) === null && !one.definition.destructive)
    : stored.filter((one) => one.reads === true);
  return chosen.map(({ key }) => key);
}

function checkNamed(
  row: RowRecord,
  stored: readonly StoredOperation[],
  named: ReadonlySet<string>,
  reads: boolean,
): void {
  const known = new Map(stored.map((one) => [one.key, one]));
  for (const key of named) {
    const operation = known.get(key);
    if (operation === undefined) {
      const advice =
        stored.length === 0
          ? " Only operations that rows bring, such as those of mcp and openapi, can be marked."
          : ` \`hub row show "${row.label}"\` lists its operations.`;
      throw new HubError("not_found", `"${row.label}" brought no operation "${key}".${advice}`);
    }
    if (!reads || findReview(operation) === null) continue;
    throw new HubError(
      "conflict",
      `The operation "${key}" waits for a review or is gone. Only approved operations can be marked: see it with \`hub bridge review\`, and approve it with \`hub bridge approve\`.`,
    );
  }
}
