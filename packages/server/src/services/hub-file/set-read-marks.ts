import type { HubFileChange } from "@hub/contract/hub-file.ts";
import { findMarked } from "../../connectors/by-row/marked-operations.ts";
import { findReview } from "../../connectors/by-row/row-operation.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import type { ValuePath } from "../../lib/yaml/find-position.ts";
import { listRowOperations } from "../../store/rows/row-operations-table.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { listMarkable } from "../rows/discovery/connector-marks.ts";
import { markReads } from "../rows/discovery/mark-reads.ts";
import { loadRow } from "../rows/load-row.ts";
import { type ApplyContext, at } from "./apply-context.ts";

/** A note or a refusal names this many operations. */
const namedMax = 5;

type MarkedRow = {
  row: Pick<RowRecord, "id" | "label">;
  connector: RegisteredConnector;
  reads: readonly string[] | undefined;
};

/**
 * Marks the operations of a row as the file has it. Those that are not approved here are a note. Refuses marks of operations
 * of which the connector's author says what they do.
 */
export async function setReadMarks(
  context: ApplyContext,
  place: ValuePath,
  { row: { id, label }, connector, reads }: MarkedRow,
): Promise<HubFileChange["fields"]> {
  if (reads === undefined) return [];
  const { deps, author, notes } = context;
  const isOfConnector = connector.operations.size > 0;
  const markable = new Set(listMarkable(connector));
  const others = isOfConnector ? reads.filter((key) => !markable.has(key)) : [];
  if (others.length > 0) {
    throw context.refuse(
      [...place, "reads"],
      markable.size === 0
        ? `The author of ${connector.name} says which of its operations only read. Leave reads out.`
        : `Of ${connector.name}, only ${listSome([...markable])} can be marked. Leave ${listSome(others)} out.`,
    );
  }
  const stored = await listRowOperations(deps.store.db, id);
  const reviewed = stored.filter((one) => findReview(one) === null).map(({ key }) => key);
  const approved = isOfConnector ? markable : new Set(reviewed);
  const marked = isOfConnector
    ? new Set(findMarked(connector, await loadRow(deps.store.db, id), stored).keys())
    : new Set(stored.filter((one) => one.reads === true).map(({ key }) => key));
  const wanted = new Set(reads.filter((key) => approved.has(key)));
  const added = [...wanted].filter((key) => !marked.has(key));
  const removed = [...marked].filter((key) => !wanted.has(key));
  const later = [...new Set(reads)].filter((key) => !wanted.has(key));
  await at(context, [...place, "reads"], async () => {
    for (const [operations, on] of [
      [added, true],
      [removed, false],
    ] as const) {
      if (operations.length > 0) await markReads(deps, author.actor, id, { operations, reads: on });
    }
  });
  if (later.length > 0) {
    notes.push(
      `Of "${label}" (${id}), the file marks operations as reading that are not approved here: ${listSome(later)}. Review them, then apply the file again, or run: hub op reads ${id} OPERATION…`,
    );
  }
  if (added.length + removed.length === 0) return [];
  return [{ field: "reads", from: [...marked].sort(), to: [...wanted].sort(), secret: false }];
}

function listSome(keys: readonly string[]): string {
  const more = keys.length > namedMax ? ` and ${keys.length - namedMax} more` : "";
  return `${keys.slice(0, namedMax).join(", ")}${more}`;
}
