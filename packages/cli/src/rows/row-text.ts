import type { RowDetail, RowValue } from "@hub/contract/row.ts";
import type { RowConnection } from "@hub/contract/row-connection.ts";
import { toFacts, toTable } from "../text/table.ts";
import { toConnectionText } from "./connection-text.ts";

const bullets = "••••••••";

/** A row as text: its own values, its configuration, its operations. */
export function toRowText(row: RowDetail, connection: RowConnection | null = null): string {
  const facts = toFacts([
    ["id", row.id],
    ["connector", row.connector],
    ["label", row.label],
    ["description", row.description],
    ["tags", row.tags.join(", ")],
    ["tests", row.tests === "tag" ? "admins and users with a tag of the row" : "admins"],
    ["state", row.disabled || row.disabled_type ? "disabled" : "enabled"],
    [
      "needs",
      row.missing === null ? "its connector, which is not installed" : row.missing.join(", "),
    ],
  ]);
  const values = toTable(
    row.values,
    [
      ["field", (value) => value.key],
      ["value", (value) => (row.missing?.includes(value.key) ? "(required)" : toShownValue(value))],
    ],
    "No configuration.",
  );
  const operations = toTable(
    row.operations,
    [
      ["operation", (operation) => operation.key],
      ["state", (operation) => (operation.enabled ? "enabled" : "disabled")],
      ["destructive", (operation) => (operation.destructive ? "yes" : "")],
      ["tool id", (operation) => (operation.test_only ? "row test only" : operation.tool_id)],
    ],
    "No operations.",
  );
  const parts = connection === null ? [facts] : [facts, toConnectionText(connection)];
  return [...parts, values, operations].join("\n\n");
}

function toShownValue(value: RowValue): string | null {
  if (value.secret) return value.is_set ? bullets : null;
  return value.is_set || value.value === null ? value.value : `${value.value} (default)`;
}
