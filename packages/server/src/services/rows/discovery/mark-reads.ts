import type { ReadMarks } from "@hub/contract/row-discovery.ts";
import type { Actor } from "../../../changes/actor.ts";
import {
  findMarked,
  markOperations,
  toOperationsStamp,
} from "../../../connectors/by-row/marked-operations.ts";
import { findReview } from "../../../connectors/by-row/row-operation.ts";
import type { RegisteredConnector } from "../../../connectors/connector-port.ts";
import { HubError } from "../../../errors.ts";
import type { StoredOperation } from "../../../store/rows/row-operations-table.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { findOperation } from "../../connectors/find-connector.ts";
import { checkMarksRuleOperations } from "../../rules/check-rule-rights.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import {
  type ChangeDeps,
  changeOperations,
  checkStamp,
  namedMax,
  toReadsChange,
  withMark,
} from "./change-operations.ts";
import { addMarks, listMarkable } from "./connector-marks.ts";

type MarkDeps = ChangeDeps & Pick<ServiceDeps, "registry">;

export type ReadsInput = {
  /**
   * Without it: to mark, all approved operations that are not described as destructive; to remove marks, all that have
   * one.
   */
  operations?: readonly string[] | undefined;
  /** False removes the marks. */
  reads: boolean;
  /** That of the operations that were shown. */
  stamp?: string | undefined;
};

/**
 * Marks operations of a row as ones that only read, or removes the marks: those that the row brought and that are approved, and
 * those of which its connector leaves it to admins. A mark is lost when the operation changes.
 * Throws `conflict` for an operation that waits for a review, for one whose author says it, and if the operations are not those with the stamp.
 */
export async function markReads(
  deps: MarkDeps,
  actor: Actor,
  rowId: string,
  input: ReadsInput,
): Promise<ReadMarks> {
  const { reads, stamp } = input;
  return await changeOperations(deps, actor, rowId, async ({ trx, row, stored, at, save }) => {
    await checkMarksRuleOperations(trx, actor, row.id);
    const connector = deps.registry.find(row.connectorKey);
    if (stamp !== undefined) {
      const operations = connector === null ? new Map() : markOperations(connector, row, stored);
      checkStamp(toOperationsStamp(connector, row, operations), stamp);
    }
    // Of an operation that the connector defines, only the mark is stored.
    const isOfConnector =
      row.operationsId === null && connector !== null && connector.operations.size > 0;
    const { changed, operations } = isOfConnector
      ? planConnectorMarks(connector, { row, stored, at }, input)
      : planMarks(row, stored, input);
    if (changed.length > 0) await save(operations, toReadsChange(reads, changed), isOfConnector);
    const shown = changed.slice(0, namedMax);
    return { row_id: row.id, reads, operations: shown, count: changed.length };
  });
}

type Plan = { changed: readonly string[]; operations: readonly StoredOperation[] };

/** Of operations that the row brought. */
function planMarks(
  row: RowRecord,
  stored: readonly StoredOperation[],
  { operations: named, reads }: ReadsInput,
): Plan {
  const chosen = new Set(named === undefined ? findAll(stored, reads) : named);
  if (named !== undefined) checkNamed(row, stored, chosen, reads);
  const changed = stored
    .filter((one) => chosen.has(one.key) && (one.reads === true) !== reads)
    .map(({ key }) => key);
  return {
    changed,
    operations: stored.map((one) => (chosen.has(one.key) ? withMark(one, reads) : one)),
  };
}

/** Of operations of the row's connector, of which only the marks are stored. */
function planConnectorMarks(
  connector: RegisteredConnector,
  { row, stored, at }: { row: RowRecord; stored: readonly StoredOperation[]; at: number },
  { operations: named, reads }: ReadsInput,
): Plan {
  const marked = findMarked(connector, row, stored);
  if (!reads) {
    const removed = new Set(named ?? marked.keys());
    for (const key of removed) findOperation(connector, key);
    return {
      changed: [...marked.keys()].filter((key) => removed.has(key)),
      operations: [...marked.values()].filter(({ key }) => !removed.has(key)),
    };
  }
  const keys = [...new Set(named ?? listMarkable(connector))];
  const operations = addMarks(connector, row, marked, { keys, at });
  return { changed: keys.filter((key) => !marked.has(key)), operations };
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
          ? " It has brought none yet: discover them with `hub bridge discover`."
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
