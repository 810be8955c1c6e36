import type {
  ConnectorField,
  ConnectorType,
  ConnectorTypeDetail,
} from "@hub/contract/connector-type.ts";
import { command, group, switches } from "../declare/command.ts";
import { argument } from "../declare/parameters.ts";
import { detail, type Field, table } from "../declare/view.ts";
import { toPrintable } from "../text/table.ts";

const loadTypes = () => import("@hub/server/services/connectors/connector-types.ts");

const takes = { key: argument("<connector>", "key of the connector") };

const state = ["state", (shown) => (shown.disabled_type ? "disabled" : "enabled")] satisfies Field<
  Pick<ConnectorType, "disabled_type">
>;

export const define = group({ examples: ["type show http", "type disable http"] }, [
  command("list", "list the connectors that rows can use", {
    does: async ({ services }) => (await loadTypes()).listTypes(services),
    shows: table<ConnectorType>(
      [["connector", "key"], "name", "tier", "rows", state],
      "There are no connectors.",
    ),
  }),
  command("show", "show the fields and operations of a connector", {
    takes,
    does: async ({ services }, { key }) => (await loadTypes()).showType(services, key),
    shows: (shown) =>
      `${toFacts(shown)}\n\n${toFieldsText(shown.fields)}\n\n${toOperationTable(shown.operations)}`,
  }),
  ...switches.map((verb) =>
    command(verb, `${verb} all rows of a connector, from the next call on`, {
      takes,
      does: async ({ services, actor }, { key }) =>
        (await loadTypes())[`${verb}Type`](services, actor, key),
      shows: (_, { key }) => `The connector ${key} is ${verb}d.`,
    }),
  ),
]);

const toFacts = detail<ConnectorTypeDetail>([["connector", "key"], "name", "description", state]);

const toOperationTable = table<ConnectorTypeDetail["operations"][number]>(
  [
    ["operation", "key"],
    ["destructive", ({ destructive }) => (destructive ? "yes" : "")],
    ["only reads", toReadsText],
    ["reached by", ({ test_only }) => (test_only ? "row test only" : "MCP")],
    "name",
  ],
  "It has no operations.",
);

function toReadsText({ reads, may_mark: mayMark }: ConnectorTypeDetail["operations"][number]) {
  if (reads) return "yes";
  return mayMark ? "marked by row" : "";
}

/** Not a table, because field descriptions are too long for the width of a terminal. */
function toFieldsText(fields: readonly ConnectorField[]): string {
  if (fields.length === 0) return "It needs no configuration.";
  const width = Math.max(...fields.map((field) => field.key.length));
  const lines = fields.flatMap((field) => [
    `${field.key.padEnd(width)}  ${describeField(field)}`,
    ...(field.description === "" ? [] : [`${" ".repeat(width)}  ${field.description}`]),
  ]);
  return lines.map(toPrintable).join("\n");
}

function describeField({
  widget,
  options,
  columns,
  required,
  visible_when,
  ...field
}: ConnectorField) {
  const choices = [...options, ...columns].join(" | ");
  const condition =
    visible_when === null ? "" : ` if ${visible_when.field}=${visible_when.values.join("|")}`;
  const parts = [choices === "" ? widget : `${widget}: ${choices}`];
  if (required) parts.push(`required${condition}`);
  else if (condition !== "") parts.push(`only${condition}`);
  if (field.default !== null) parts.push(`default ${field.default}`);
  return parts.join("; ");
}
