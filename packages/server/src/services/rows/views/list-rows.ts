import { containsText } from "@hub/connector";
import type { ListedRow, RowSort, RowsByState } from "@hub/contract/listed-row.ts";
import { type RowStateName, rowStateNameSchema } from "@hub/contract/row-state.ts";
import type { Caller } from "../../../caller.ts";
import { isVisible } from "../../../connectors/rows/row-visibility.ts";
import { HubError } from "../../../errors.ts";
import { toCaller } from "../../../identity/to-caller.ts";
import { type PageInput, parsePage } from "../../../lib/input/page.ts";
import { type Cursor, toCursorText } from "../../../lib/input/page-cursor.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadUser } from "../../users/load-user.ts";
import type { KnownRow } from "../states/known-row.ts";
import { presentStates } from "../states/read-row-states.ts";
import { toRow, withOwnTags } from "./present-row.ts";

export type RowQuery = {
  /** Words in the label, the connector or a tag, ignoring case. */
  q?: string | undefined;
  connector?: string | undefined;
  tag?: string | undefined;
  /** Only these rows: at most a hundred. */
  ids?: readonly string[] | undefined;
  state?: RowStateName | undefined;
  /** Only rows that this user sees, too. */
  visibleTo?: Caller | undefined;
  /** Without it, the oldest come first. */
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

type ListDeps = Pick<ServiceDeps, "store" | "registry" | "rowStates">;

/** One page of the rows that the caller sees, with their states. */
export async function listStatedRows(
  deps: ListDeps,
  caller: Caller,
  query: RowQuery,
): Promise<RowList> {
  const order = toOrder(caller, query);
  const { limit, cursor } = parsePage(query, order.keyType);
  const { rows, directory } = await deps.rowStates.readAll(caller.seen);
  const matching = findMatching(caller, rows, query);
  const byState: RowsByState = {};
  for (const { state } of matching) byState[state] = (byState[state] ?? 0) + 1;
  const { state } = query;
  const found = (state === undefined ? matching : matching.filter((row) => row.state === state))
    .map((row) => ({ row, key: order.toKey(row), id: row.record.id }))
    .sort(order.compare);
  const start = cursor === undefined ? 0 : countUntil(found, cursor, order.compare);
  const page = found.slice(start, start + limit);
  const last = page.at(-1);
  const isMore = last !== undefined && start + page.length < found.length;
  const shown = page.map(({ row }) => row);
  const states = await presentStates(deps, caller, shown);
  const { registry } = deps;
  const isTypeDisabled = directory.isTypeDisabled;
  return {
    rows: shown.flatMap(({ record, facts }) => {
      const stated = states.get(record.id);
      const row = withOwnTags(caller, toRow({ registry, isTypeDisabled }, record));
      const name = { connector_name: facts.connectorName ?? record.connectorKey };
      return stated === undefined ? [] : [{ ...row, ...name, ...stated }];
    }),
    next: isMore ? toCursorText({ key: last.key, id: last.id }) : null,
    total: matching.length,
    by_state: byState,
  };
}

/** One page of the rows that a user sees, as the caller sees them. */
export async function listRowsOfUser(
  deps: ListDeps,
  caller: Caller,
  userId: string,
  page: PageInput = {},
): Promise<RowList> {
  const { id } = await loadUser(deps.store.db, userId);
  const access = await deps.store.reads.findUserAccess(id);
  // It was deleted meanwhile.
  if (access === null) throw new HubError("not_found", "There is no such user.");
  const visibleTo = toCaller(access, null);
  return await listStatedRows(deps, caller, { ...page, visibleTo });
}

const wordsMax = 8;

function findMatching(
  caller: Caller,
  rows: readonly KnownRow[],
  { q = "", connector, tag, ids, visibleTo }: RowQuery,
): KnownRow[] {
  const asked = ids && new Set(ids);
  const words = q.toLowerCase().match(/\S+/g)?.slice(0, wordsMax) ?? [];
  return rows.filter(({ record, facts }) => {
    if (!isVisible(caller, record)) return false;
    if (visibleTo !== undefined && !isVisible(visibleTo, record)) return false;
    if (asked?.has(record.id) === false) return false;
    if (connector !== undefined && record.connectorKey !== connector) return false;
    if (tag === undefined && words.length === 0) return true;
    // A user must not learn of tags that they do not have.
    const { tags } = withOwnTags(caller, record);
    if (tag !== undefined && !tags.some((own) => own === tag.toLowerCase())) return false;
    return words.every(
      (word) => containsText(facts.text, word) || tags.some((own) => containsText(own, word)),
    );
  });
}

type Order = {
  keyType: "string" | "number";
  toKey(row: KnownRow): string | number;
  /** A total order, because the ids differ. */
  compare(one: Cursor, other: Cursor): number;
};

const ofCalls: ReadonlySet<RowSort> = new Set<RowSort>(["calls", "errors", "p95", "last_call"]);

function toOrder({ role }: Caller, { sort, order }: RowQuery): Order {
  if (sort !== undefined && ofCalls.has(sort) && role !== "admin") {
    throw new HubError(
      "bad_request",
      `sort: only admins can sort by ${sort}. Use label, connector or state.`,
    );
  }
  const sign = order === "desc" ? -1 : 1;
  return {
    ...sortKeys[sort ?? "created"],
    compare: (one, other) => sign * (compare(one.key, other.key) || compare(one.id, other.id)),
  };
}

const stateOrder = new Map(rowStateNameSchema.options.map((name, index) => [name, index]));

const sortKeys: Record<RowSort | "created", Pick<Order, "keyType" | "toKey">> = {
  created: { keyType: "number", toKey: ({ record }) => record.createdAt },
  label: { keyType: "string", toKey: ({ facts }) => facts.label },
  connector: {
    keyType: "string",
    toKey: ({ record, facts }) => `${record.connectorKey}\n${facts.label}`,
  },
  state: {
    keyType: "string",
    toKey: ({ state, facts }) => `${stateOrder.get(state)}\n${facts.label}`,
  },
  calls: { keyType: "number", toKey: ({ activity }) => activity?.calls ?? 0 },
  errors: { keyType: "number", toKey: ({ activity }) => activity?.errors ?? 0 },
  p95: { keyType: "number", toKey: ({ activity }) => activity?.p95Ms ?? -1 },
  last_call: { keyType: "number", toKey: ({ activity }) => activity?.lastCallAt ?? -1 },
};

/** By code unit, so that the order does not depend on the locale. */
function compare<Key extends string | number>(one: Key, other: Key): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The items up to a position, and with it. */
function countUntil(
  items: readonly Cursor[],
  cursor: Cursor,
  compareItems: Order["compare"],
): number {
  const index = items.findIndex((item) => compareItems(item, cursor) > 0);
  return index === -1 ? items.length : index;
}
