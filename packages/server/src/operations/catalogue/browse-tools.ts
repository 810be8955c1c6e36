import type { Caller } from "../../caller.ts";
import { findRowLogo } from "../../connectors/logos/find-logo.ts";
import { mayTest } from "../../connectors/rows/row-visibility.ts";
import { cutLine } from "../../lib/text/cut-line.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { ToolQuery } from "../operations.ts";
import type { Target } from "./find-operation.ts";
import { type Catalogue, listVisibleRows, type RowsWithin } from "./tool-catalogue.ts";
import { toToolId } from "./tool-id.ts";

/** A page of the operations that a caller may call. */
export type BrowseQuery = {
  /** As that of `hub_search`. Empty for all operations. */
  query: string;
  within: RowsWithin;
  limit: number;
  /** The operations before the page. */
  offset?: number;
  /** Compares no meanings, as a search of clients by words. */
  isByWords?: true;
};

/** An operation that the caller may call, for people. */
export type BrowsedTool = {
  toolId: string;
  rowId: string;
  operationKey: string;
  label: string;
  connectorKey: string;
  connectorName: string;
  /** Of the brand of its row. */
  logo: string | null;
  name: string;
  /** One line. */
  description: string;
  isDestructive: boolean;
  /** Whether an admin has marked it as one that only reads. */
  isReading: boolean;
  /** Whether the row lets the caller test it. */
  mayTest: boolean;
};

export type BrowsedTools = {
  tools: BrowsedTool[];
  /** Of all pages. */
  total: number;
  /** Other words to search for, if the query found little. */
  related: readonly string[];
};

type RankTools = (wanted: ToolQuery) => Promise<RankedTools>;

/** As a search has it. */
type RankedTools = {
  targets: readonly Target[];
  total: number;
  related?: readonly string[] | undefined;
};

const descriptionCharsMax = 200;
/** Rows that are looked at before other callers get a turn. */
const rowsPerPortion = 2_000;

/** What the caller may call: with words as `rank` finds them, else by rows in order. */
export async function browseTools(
  catalogue: Catalogue,
  caller: Caller,
  rank: RankTools,
  { query, within, limit, offset = 0, isByWords }: BrowseQuery,
): Promise<BrowsedTools> {
  if (query.trim() === "") return await listByRows(catalogue, caller, { within, limit, offset });
  const { targets, total, related = [] } = await rank({ query, within, limit, offset, isByWords });
  return { tools: targets.map((target) => toBrowsed(caller, target)), total, related };
}

async function listByRows(
  catalogue: Catalogue,
  caller: Caller,
  { within, limit, offset }: Required<Pick<BrowseQuery, "within" | "limit" | "offset">>,
): Promise<BrowsedTools> {
  const tools: BrowsedTool[] = [];
  let total = 0;
  for (const [at, { row, connector, operations }] of listVisibleRows(
    catalogue,
    caller,
    within,
  ).entries()) {
    if (at % rowsPerPortion === rowsPerPortion - 1) await yieldToEventLoop();
    const wanted = operations.slice(
      Math.max(offset - total, 0),
      Math.max(offset + limit - total, 0),
    );
    for (const operation of wanted) tools.push(toBrowsed(caller, { row, connector, operation }));
    total += operations.length;
  }
  return { tools, total, related: [] };
}

function toBrowsed(caller: Caller, { row, connector, operation }: Target): BrowsedTool {
  return {
    toolId: toToolId(row.id, operation.key),
    rowId: row.id,
    operationKey: operation.key,
    label: row.label,
    connectorKey: connector.key,
    connectorName: connector.name,
    logo: findRowLogo(row.record, connector),
    name: operation.name,
    description: cutLine(operation.description, descriptionCharsMax),
    isDestructive: operation.destructive,
    isReading: operation.reads === true,
    mayTest: mayTest(caller, row),
  };
}
