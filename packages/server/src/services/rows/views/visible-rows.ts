import type { Row, RowView } from "@hub/contract/row.ts";
import type { Caller } from "../../../caller.ts";
import { isVisible, toVisibleTags } from "../../../connectors/rows/row-visibility.ts";
import { toCaller } from "../../../identity/to-caller.ts";
import { type Page, type PageInput, readPage } from "../../../lib/input/page.ts";
import { findTestRefusal } from "../../../operations/admission/testable.ts";
import { sampleRows } from "../../../store/rows/row-summaries.ts";
import { findRow, listRowPage } from "../../../store/rows/rows-table.ts";
import { listDisabledTypes } from "../../../store/rows/switches.ts";
import { EVERYONE_TAG } from "../../../store/tags/tags-table.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadUser } from "../../users/load-user.ts";
import { loadVisibleRow } from "../load-row.ts";
import { countOperations, isShown } from "../operations/list-operations.ts";
import { listWidgets } from "../widgets/list-widgets.ts";
import { toState } from "./list-rows.ts";
import { toRow, toRowOperation } from "./present-row.ts";

type VisibleDeps = Pick<ServiceDeps, "store" | "registry">;

export async function isRowVisible(
  { store }: Pick<VisibleDeps, "store">,
  caller: Caller,
  id: string,
): Promise<boolean> {
  const row = await findRow(store.db, id.toLowerCase());
  return row !== null && isVisible(caller, row);
}

/** Throws `not_found` for a row that the caller does not see, and `forbidden` for one that they may not test. */
export async function checkTestable(
  { store }: Pick<VisibleDeps, "store">,
  caller: Caller,
  id: string,
): Promise<void> {
  const row = await loadVisibleRow(store.db, caller, id);
  const refusal = findTestRefusal(caller, row);
  if (refusal !== null) throw refusal;
}

export type RowQuery = {
  connector?: string | undefined;
  /** Text of the label or the connector's key. */
  q?: string | undefined;
  tag?: string | undefined;
  ids?: readonly string[] | undefined;
};

/** One page of the rows that the caller sees, oldest first. */
export async function listRows(
  deps: VisibleDeps,
  caller: Caller,
  { connector, q = "", tag, ids, ...page }: PageInput & RowQuery = {},
): Promise<Page<Row>> {
  const visible = toVisibleTags(caller);
  // Whether a row has a tag of others is not said.
  if (tag !== undefined && visible !== undefined && !new Set(visible).has(tag)) {
    return { items: [], next: null };
  }
  const filter = {
    ...(connector !== undefined && { connectorKey: connector }),
    ...(q !== "" && { text: q }),
    ...(ids !== undefined && { ids }),
    tag,
    taggedAmong: visible,
  };
  const { items, next } = await readRows(deps, filter, page);
  return { items: items.map((row) => withOwnTags(caller, row)), next };
}

/** One page of the rows that a user sees, with all their tags, oldest first. */
export async function listRowsOfUser(
  deps: VisibleDeps,
  userId: string,
  page: PageInput = {},
): Promise<Page<Row> & { total: number }> {
  const { id, ...user } = await loadUser(deps.store.db, userId);
  const filter = { taggedAmong: toVisibleTags(toCaller({ userId: id, ...user }, null)) };
  const { total } = await sampleRows(deps.store.db, filter, 0);
  return { ...(await readRows(deps, filter, page)), total };
}

/** A row as the caller sees it, with its operations or only their counts. */
export async function viewRow(
  { store, registry }: VisibleDeps,
  caller: Caller,
  id: string,
  { withOperations = true } = {},
): Promise<RowView> {
  const row = await loadVisibleRow(store.db, caller, id);
  const connector = registry.find(row.connectorKey);
  const all = await registry.loadOperations(store.db, row);
  const operations = [...all.values()]
    .filter((operation) => isShown(caller, connector, operation))
    .map((operation) => toRowOperation(operation, row));
  const disabledTypes = await listDisabledTypes(store.db);
  const shown = withOwnTags(caller, toRow({ registry, disabledTypes }, row));
  return {
    ...shown,
    state: toState(shown),
    activity: null,
    operations: withOperations ? operations : [],
    operation_counts: countOperations(operations),
    widgets: listWidgets(caller, connector, row),
  };
}

/** Only admins see the tags of other users. */
function withOwnTags(caller: Caller, row: Row): Row {
  if (caller.role === "admin") return row;
  return { ...row, tags: row.tags.filter((tag) => tag === EVERYONE_TAG || caller.tags.has(tag)) };
}

async function readRows(
  { store, registry }: VisibleDeps,
  filter: Parameters<typeof listRowPage>[1],
  page: PageInput,
): Promise<Page<Row>> {
  const { items, next } = await readPage(page, {
    keyType: "number",
    read: (after, limit) => {
      const start = after && { createdAt: Number(after.key), id: after.id };
      return listRowPage(store.db, filter, { after: start, limit });
    },
    toCursor: ({ createdAt, id }) => ({ key: createdAt, id }),
  });
  const disabledTypes = await listDisabledTypes(store.db);
  return { items: items.map((row) => toRow({ registry, disabledTypes }, row)), next };
}
