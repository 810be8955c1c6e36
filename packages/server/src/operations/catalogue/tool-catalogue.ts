import { oneLine } from "@hub/connector";
import type { RowEntry, ToolDetail, ToolEntry } from "@hub/contract/tool-entry.ts";
import type { Caller } from "../../caller.ts";
import type { Operation, RegisteredConnector } from "../../connectors/connector-port.ts";
import { toOperationSchema } from "../../connectors/operation-schema.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { Directory, Row } from "../../connectors/rows/row-directory.ts";
import { cutAtWord } from "../../lib/text/cut-at-word.ts";
import { bounded } from "../admission/bounded.ts";
import { toWorld, type World } from "../admission/call.ts";
import { isKept, isShown } from "../admission/list-form.ts";
import type { Target } from "./find-operation.ts";
import { quoteOutside } from "./quote-outside.ts";
import { type AccountLabels, noAccounts } from "./read-account-labels.ts";
import { toToolId } from "./tool-id.ts";

const confirmWarning =
  "Destructive: it changes or deletes something. Confirm with the user before you call it.";

/** A row as clients see it, with the operations that they can call now. */
export type CatalogueRow = {
  row: Row;
  connector: RegisteredConnector;
  /** In the order of their definition. */
  operations: readonly Operation[];
  /** The list entries of the row's tools. They are created on first use. */
  entries(): readonly ToolEntry[];
  /** The row as users see it who are no admins. Absent if it is the same. */
  forUsers?: CatalogueRow;
  /** Of a row with some of its operations, for one caller: the whole row, and their places in it. */
  partOf?: { whole: CatalogueRow; places: readonly number[] };
};

/** The tools that clients are offered. It has no disabled rows, connector types or operations. */
export type Catalogue = {
  stamp: string;
  world: World;
  rows: readonly CatalogueRow[];
  /** Every row, also the disabled ones. */
  allRows: readonly Row[];
};

export function createCatalogue(
  deps: { registry: ConnectorRegistry; now(): number },
  directory: Directory,
): Catalogue {
  const world = toWorld(deps, directory);
  const rows = directory.rows.flatMap((row) => {
    const connector = deps.registry.find(row.connectorKey);
    if (connector === null || !isKept(world, "admin", { row, connector })) return [];
    return [toCatalogueRow(world, row, connector)];
  });
  return { stamp: directory.stamp, world, rows, allRows: directory.rows };
}

/** A choice of rows: one of them, or those of one connector. All without a member. */
export type RowsWithin = { rowId?: string | undefined; connectorKey?: string | undefined };

/** The rows of a catalogue that the caller may see. */
export function listVisibleRows(
  catalogue: Catalogue,
  caller: Caller,
  { rowId, connectorKey }: RowsWithin = {},
): CatalogueRow[] {
  const rows = catalogue.rows.filter(
    ({ row, connector }) =>
      (rowId === undefined || row.id === rowId) &&
      (connectorKey === undefined || connector.key === connectorKey) &&
      isShown(catalogue.world, { path: "client", caller, row, connector }),
  );
  const shown = caller.role === "admin" ? rows : rows.map((row) => row.forUsers ?? row);
  return caller.bounds === undefined
    ? shown
    : shown.map((row) => toPart(catalogue.world, caller, row));
}

/** The row with those operations that the bounds of the caller include. */
function toPart(world: World, caller: Caller, whole: CatalogueRow): CatalogueRow {
  const { row, connector, operations } = whole;
  const places: number[] = [];
  for (const [place, operation] of operations.entries()) {
    const call = { path: "client", caller, row, connector, operation } as const;
    if (bounded(world, call).kind === "pass") places.push(place);
  }
  if (places.length === operations.length) return whole;
  const isWithin = new Set(places);
  const kept = operations.filter((_operation, place) => isWithin.has(place));
  return { ...toListed(row, connector, kept), partOf: { whole, places } };
}

/** An entry takes about 1 µs when it is made. */
const entriesPerPortion = 2_000;

/** The list entries of the rows, with a pause after each portion. */
export async function listEntries(
  rows: readonly CatalogueRow[],
  pause: () => Promise<void>,
): Promise<ToolEntry[]> {
  const entries: ToolEntry[] = [];
  let portionEnd = entriesPerPortion;
  for (const row of rows) {
    for (const entry of row.entries()) entries.push(entry);
    if (entries.length < portionEnd) continue;
    portionEnd = entries.length + entriesPerPortion;
    await pause();
  }
  return entries;
}

/** No row is described in lists by more. */
const rowLineCharsMax = 200;

/** A description of 2,000 characters takes about 50 µs. */
const rowsPerPortion = 500;

/** The rows that have an operation, without their operations, with a pause after each portion. */
export async function listRowEntries(
  rows: readonly CatalogueRow[],
  accounts: AccountLabels,
  pause: () => Promise<void>,
): Promise<RowEntry[]> {
  const entries: RowEntry[] = [];
  for (const { row, connector, operations } of rows) {
    if (operations.length === 0) continue;
    const description = toRowLine(row, rowLineCharsMax);
    entries.push({
      label: row.label,
      connector: connector.name,
      description,
      operations: operations.length,
      ...toAccounts(accounts, row),
    });
    if (entries.length % rowsPerPortion === 0) await pause();
  }
  return entries;
}

function toCatalogueRow(world: World, row: Row, connector: RegisteredConnector): CatalogueRow {
  const operations = [...row.operations.values()].filter((operation) =>
    isKept(world, "admin", { row, connector, operation }),
  );
  const whole = toListed(row, connector, operations);
  if (connector.adminOperations === undefined) return whole;
  const shown = operations.filter((operation) =>
    isKept(world, "user", { row, connector, operation }),
  );
  return { ...whole, forUsers: toListed(row, connector, shown) };
}

function toListed(
  row: Row,
  connector: RegisteredConnector,
  operations: readonly Operation[],
): CatalogueRow {
  let entries: ToolEntry[] | null = null;
  return {
    row,
    connector,
    operations,
    entries() {
      entries ??= operations.map((operation) => toEntry({ row, connector, operation }));
      return entries;
    },
  };
}

/** An entry of `hub_list`. */
function toEntry({ row, connector, operation }: Target): ToolEntry {
  const line = markOutside(operation, oneLine(operation.description));
  return {
    tool_id: toToolId(row.id, operation.key),
    connector: connector.name,
    label: row.label,
    name: operation.name,
    description: operation.destructive ? `${line} ${confirmWarning}` : line,
    destructive: operation.destructive,
    ...(operation.reads && { reads: true }),
  };
}

function markOutside({ fromRow }: Operation, text: string): string {
  return fromRow === undefined ? text : `The outside system describes it as: ${quoteOutside(text)}`;
}

/** A row's description, cut for lists. */
export function toRowLine(row: Row, charsMax: number): string {
  return cutAtWord(oneLine(row.description), charsMax);
}

/** Everything that a client needs to call the tool. */
export function toDetail(target: Target, accounts: AccountLabels = noAccounts): ToolDetail {
  const { operation, row } = target;
  const description = [
    markOutside(operation, operation.description),
    row.description === "" ? null : `About "${row.label}": ${row.description}`,
    operation.destructive ? confirmWarning : null,
  ];
  return {
    ...toEntry(target),
    description: description.filter((part) => part !== null).join("\n\n"),
    input_schema: toOperationSchema(operation),
    ...(operation.outputSchema && { output_schema: operation.outputSchema }),
    ...(operation.idempotent && { idempotent: true }),
    ...(operation.examples.length > 0 && { examples: operation.examples }),
    ...toAccounts(accounts, row),
  };
}

function toAccounts(accounts: AccountLabels, { id }: Row): { accounts?: string[] } {
  const labels = accounts.get(id);
  return labels === undefined ? {} : { accounts: [...labels] };
}
