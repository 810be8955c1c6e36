import type { AttentionItem, AttentionKind } from "@hub/contract/attention.ts";
import type { RowStateName } from "@hub/contract/row-state.ts";
import type { Caller } from "../../caller.ts";
import { listStatedRows } from "../rows/views/list-rows.ts";
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

/** The rows that the caller sees and that do not work; for admins also those that wait for them. */
export async function findRowItems(deps: ServiceDeps, caller: Caller): Promise<AttentionItem[]> {
  const items: AttentionItem[] = [];
  const kinds = caller.role === "admin" ? [...broken, ...unfinished] : broken;
  for (const [state, kind] of kinds) {
    for (let after: string | undefined; ; ) {
      const { rows, next } = await listStatedRows(deps, caller, { state, after });
      for (const { id, label, connector, state: found } of rows) {
        const subject = { kind: "row", id, name: label } as const;
        const path =
          found.fix?.path ?? `/manager/connectors/${encodeURIComponent(connector)}/${id}`;
        const text = found.reason ?? "The page of the row has the reason.";
        items.push(toItem(kind, subject, text, { path, since: found.since }));
      }
      if (next === null) break;
      after = next;
    }
  }
  return items;
}
