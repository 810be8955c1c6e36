import type { ListedRow, RowSort, RowsByState } from "@hub/contract/listed-row.ts";
import type { Row } from "@hub/contract/row.ts";
import type { RowState, RowStateName } from "@hub/contract/row-state.ts";
import type { Caller } from "../../../caller.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { listRows } from "./visible-rows.ts";

export type RowQuery = {
  q?: string | undefined;
  connector?: string | undefined;
  tag?: string | undefined;
  /** Only these rows: at most a hundred. */
  ids?: readonly string[] | undefined;
  state?: RowStateName | undefined;
  sort?: RowSort | undefined;
  order?: "asc" | "desc" | undefined;
  after?: string | undefined;
  limit?: number | undefined;
};

export type RowList = {
  rows: ListedRow[];
  next: string | null;
  total: number;
  by_state: RowsByState;
};

export async function listStatedRows(
  deps: Pick<ServiceDeps, "store" | "registry">,
  caller: Caller,
  query: RowQuery,
): Promise<RowList> {
  const { items, next } = await listRows(deps, caller, query);
  const rows = items.map((row) => ({
    ...row,
    state: toState(row),
    activity: null,
    operations_enabled: 0,
  }));
  return { rows, next, total: rows.length, by_state: {} };
}

export function toState(row: Row): RowState {
  const name = row.disabled || row.disabled_type ? "disabled" : "unused";
  return { name, since: null, reason: null, fix: null };
}
