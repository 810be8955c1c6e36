import type { RowDetail, RowValue } from "@hub/contract/row.ts";
import type { RowConnection } from "@hub/contract/row-connection.ts";
import { describeRowState, type RowState } from "@hub/contract/row-state.ts";
import { detail, table } from "../declare/view.ts";
import { toTable } from "../text/table.ts";
import { toConnectionText } from "./connection-text.ts";

const bullets = "••••••••";

/** A row as text: its own values, its configuration, its operations. */
export function toRowText(row: ShownRow, connection: RowConnection | null = null): string {
  const facts = toRowFacts(row);
  const values = toTable(
    row.values,
    [
      ["field", (value) => value.key],
      ["value", (value) => (row.missing?.includes(value.key) ? "(required)" : toShownValue(value))],
    ],
    "No configuration.",
  );
  const operations = toOperationTable(row.operations);
  const parts = connection === null ? [facts] : [facts, toConnectionText(connection)];
  return [...parts, values, operations].join("\n\n");
}

type ShownRow = RowDetail & { state: RowState };

function toStateText({ state }: ShownRow): string {
  const text = describeRowState(state.name);
  return state.reason === null ? text : `${text}: ${state.reason}`;
}

const toRowFacts = detail<ShownRow>([
  "id",
  "connector",
  "label",
  "description",
  "tags",
  ["tests", ({ tests }) => (tests === "tag" ? "admins and users with a tag of the row" : "admins")],
  ["state", toStateText],
  ["needs", ({ missing }) => missing ?? "its connector, which is not installed"],
]);

const toOperationTable = table<RowDetail["operations"][number]>(
  [
    ["operation", "key"],
    ["state", ({ enabled }) => (enabled ? "enabled" : "disabled")],
    ["destructive", ({ destructive }) => (destructive ? "yes" : "")],
    ["only reads", ({ reads }) => (reads ? "yes" : "")],
    ["tool id", ({ test_only, tool_id }) => (test_only ? "row test only" : tool_id)],
  ],
  "No operations.",
);

function toShownValue(value: RowValue): string | null {
  if (value.secret) return value.is_set ? bullets : null;
  return value.is_set || value.value === null ? value.value : `${value.value} (default)`;
}
