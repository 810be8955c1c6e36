import type { AttentionItem, AttentionKind } from "@hub/contract/attention.ts";
import type { RowStateName } from "@hub/contract/row-state.ts";
import type { Caller } from "../../caller.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { KnownRow } from "../rows/states/known-row.ts";
import { toAdminState, toUserState } from "../rows/states/present-state.ts";
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

type RowDeps = Pick<ServiceDeps, "store" | "rowStates">;

/** Rows that are looked at before others get a turn, a few milliseconds of work. */
const perTurn = 500;

/**
 * The rows that the caller sees and that do not work; for admins also those that wait for them. The recorded messages are
 * not read here: `quoteReasons` does it for the items that are shown.
 */
export async function findRowItems(
  { rowStates }: RowDeps,
  caller: Caller,
): Promise<AttentionItem[]> {
  const isAdmin = caller.role === "admin";
  const kinds = new Map(isAdmin ? [...broken, ...unfinished] : broken);
  const { rows } = await rowStates.readAll(caller.seen);
  const items: AttentionItem[] = [];
  for (const row of rows) {
    const kind = kinds.get(row.state);
    if (kind === undefined || !isVisible(caller, row.record)) continue;
    items.push(toRowItem(kind, row, isAdmin));
    if (items.length % perTurn === 0) await yieldToEventLoop();
  }
  return items;
}

function toRowItem(kind: AttentionKind, row: KnownRow, isAdmin: boolean): AttentionItem {
  const { id, label, connectorKey } = row.record;
  const { fix, reason, since } = isAdmin
    ? toAdminState(row.state, row.record, row, null)
    : toUserState(row.state);
  const path = fix?.path ?? `/manager/connectors/${encodeURIComponent(connectorKey)}/${id}`;
  const text = reason ?? "The page of the row has the reason.";
  return toItem(kind, { kind: "row", id, name: label }, text, { path, since });
}

/** Items of `findRowItems` with the recorded messages of what went wrong, which are for admins. */
export async function quoteReasons(
  deps: RowDeps,
  caller: Caller,
  items: readonly AttentionItem[],
): Promise<AttentionItem[]> {
  const ids = new Set(items.flatMap((item) => findRowId(item) ?? []));
  if (ids.size === 0 || caller.role !== "admin") return [...items];
  const { rows } = await deps.rowStates.readAll(caller.seen);
  const shown = rows.filter(({ record }) => ids.has(record.id));
  const states = await presentStates(deps, caller, shown);
  return items.map((item) => {
    const reason = states.get(findRowId(item) ?? "")?.state.reason ?? null;
    return reason === null ? item : { ...item, text: reason };
  });
}

function findRowId({ subject: { kind, id } }: AttentionItem): string | null {
  return kind === "row" ? id : null;
}
