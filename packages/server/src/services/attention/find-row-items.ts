import type { AttentionItem, AttentionKind } from "@hub/contract/attention.ts";
import type { RowStateName } from "@hub/contract/row-state.ts";
import type { Caller } from "../../caller.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { presentStates } from "../rows/states/read-row-states.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { toItem } from "./attention-item.ts";

/** States in which the calls of a row fail. */
const broken: ReadonlyArray<[RowStateName, AttentionKind]> = [
  ["refused", "row_refused"],
  ["unreachable", "row_unreachable"],
  ["failing", "row_failing"],
];
/** What only an admin can do about. */
const unfinished: ReadonlyArray<[RowStateName, AttentionKind]> = [
  ["needs_setup", "row_needs_setup"],
  ["needs_review", "row_needs_review"],
];

/** Rows that are presented before others get a turn, some milliseconds of work. */
const rowsAtOnce = 500;

/** The rows that the caller sees and that do not work; for admins also those that wait for them. */
export async function findRowItems(deps: ServiceDeps, caller: Caller): Promise<AttentionItem[]> {
  const kinds = new Map(caller.role === "admin" ? [...broken, ...unfinished] : broken);
  const { rows } = await deps.rowStates.readAll(caller.seen);
  const asked = rows.filter(({ state, record }) => kinds.has(state) && isVisible(caller, record));
  const items: AttentionItem[] = [];
  for (let first = 0; first < asked.length; first += rowsAtOnce) {
    const part = asked.slice(first, first + rowsAtOnce);
    const states = await presentStates(deps, caller, part);
    for (const { record, state } of part) {
      const [kind, stated] = [kinds.get(state), states.get(record.id)?.state];
      if (kind === undefined || stated === undefined) continue;
      const { id, label, connectorKey } = record;
      const page = `/manager/connectors/${encodeURIComponent(connectorKey)}/${id}`;
      const text = stated.reason ?? "The page of the row has the reason.";
      const where = { path: stated.fix?.path ?? page, since: stated.since };
      items.push(toItem(kind, { kind: "row", id, name: label }, text, where));
    }
    await yieldToEventLoop();
  }
  return items;
}
