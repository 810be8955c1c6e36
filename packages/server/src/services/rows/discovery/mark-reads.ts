import type { ReadMarks } from "@hub/contract/row-discovery.ts";
import type { Actor } from "../../../changes/actor.ts";
import { findReview } from "../../../connectors/by-row/row-operation.ts";
import { HubError } from "../../../errors.ts";
import type { StoredOperation } from "../../../store/rows/row-operations-table.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import {
  type ChangeDeps,
  changeOperations,
  checkStamp,
  namedMax,
  toReadsChange,
  withMark,
} from "./change-operations.ts";

export type ReadsInput = {
  /**
   * Without it: to mark, all approved operations that the outside system does not describe as destructive; to remove
   * marks, all that have one.
   */
  operations?: readonly string[] | undefined;
  /** False removes the marks. */
  reads: boolean;
  /** That of the operations that were shown. */
  stamp?: string | undefined;
};

/**
 * Marks approved operations of a row as ones that only read, or removes the marks. A mark is lost when the operation changes.
 * Throws `conflict` for an operation that waits for a review, and if the operations are not those with the stamp.
 */
export async function markReads(
  deps: ChangeDeps,
  actor: Actor,
  rowId: string,
  { operations: named, reads, stamp }: ReadsInput,
): Promise<ReadMarks> {
  return await changeOperations(deps, actor, rowId, async ({ row, stored, save }) => {
    if (stamp !== undefined) checkStamp(row, stamp);
    const chosen = new Set(named === undefined ? findAll(stored, reads) : named);
    if (named !== undefined) checkNamed(row, stored, chosen, reads);
    const changed = stored
      .filter((one) => chosen.has(one.key) && (one.reads === true) !== reads)
      .map(({ key }) => key);
    if (changed.length > 0) {
      const operations = stored.map((one) => (chosen.has(one.key) ? withMark(one, reads) : one));
      await save(operations, toReadsChange(reads, changed));
    }
    const operations = changed.slice(0, namedMax);
    return { row_id: row.id, reads, operations, count: changed.length };
  });
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
