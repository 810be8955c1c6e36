import type { HubFileChange } from "@hub/contract/hub-file.ts";
import { findReview } from "../../connectors/by-row/row-operation.ts";
import type { Place } from "../../lib/yaml/find-place.ts";
import { listRowOperations } from "../../store/row-operations.ts";
import type { RowRecord } from "../../store/row-record.ts";
import { markReads } from "../rows/discovery/mark-reads.ts";
import { type ApplyContext, at } from "./apply-context.ts";

/** Marks the operations of a row as the file has it. Those that are not approved here are a note. */
export async function setReadMarks(
  context: ApplyContext,
  place: Place,
  { id, label }: Pick<RowRecord, "id" | "label">,
  reads: readonly string[] | undefined,
): Promise<HubFileChange["fields"]> {
  if (reads === undefined) return [];
  const { deps, author, notes } = context;
  const stored = await listRowOperations(deps.store.db, id);
  const approved = new Set(stored.filter((one) => findReview(one) === null).map(({ key }) => key));
  const marked = stored.filter((one) => one.reads === true).map(({ key }) => key);
  const wanted = new Set(reads.filter((key) => approved.has(key)));
  const added = [...wanted].filter((key) => !marked.includes(key));
  const removed = marked.filter((key) => !wanted.has(key));
  const later = new Set(reads).size - wanted.size;
  await at(context, [...place, "reads"], async () => {
    for (const [operations, on] of [
      [added, true],
      [removed, false],
    ] as const) {
      if (operations.length > 0) await markReads(deps, author.actor, id, { operations, reads: on });
    }
  });
  if (later > 0) {
    notes.push(
      `${later} of the operations of "${label}" (${id}) that the file marks as reading are not approved here. Review them, then apply the file again, or run: hub op reads ${id} OPERATION…`,
    );
  }
  if (added.length + removed.length === 0) return [];
  return [{ field: "reads", from: marked.sort(), to: [...wanted].sort(), secret: false }];
}
