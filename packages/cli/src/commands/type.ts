import type { ConnectorField, ConnectorTypeDetail } from "@hub/contract/connector-type.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toFacts, toPrintable, toTable } from "../text/table.ts";

const loadTypes = () => import("@hub/server/services/connectors/connector-types.ts");

export function define(type: Command, cli: Cli): void {
  type.addHelpText(
    "after",
    `
Examples:
  $ ${cli.name} type show http
  $ ${cli.name} type disable http`,
  );

  type
    .command("list")
    .description("list the connectors that rows can use")
    .action((_: unknown, command: Command) =>
      cli.answer(command, async ({ services }) => {
        const types = await (await loadTypes()).listTypes(services);
        const text = toTable(
          types,
          [
            ["connector", (shown) => shown.key],
            ["name", (shown) => shown.name],
            ["tier", (shown) => shown.tier],
            ["rows", (shown) => shown.rows],
            ["state", (shown) => (shown.disabled_type ? "disabled" : "enabled")],
          ],
          "There are no connectors.",
        );
        return { json: types, text };
      }),
    );

  type
    .command("show")
    .argument("<connector>", "key of the connector")
    .description("show the fields and operations of a connector")
    .action((key: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services }) => {
        const shown = await (await loadTypes()).showType(services, key);
        return { json: shown, text: toTypeText(shown) };
      }),
    );

  for (const verb of ["enable", "disable"] as const) {
    type
      .command(verb)
      .argument("<connector>", "key of the connector")
      .description(`${verb} all rows of a connector, from the next call on`)
      .action((key: string, _: unknown, command: Command) =>
        cli.answer(command, async ({ services, actor }) => ({
          json: await (await loadTypes())[`${verb}Type`](services, actor, key),
          text: `The connector ${key} is ${verb}d.`,
        })),
      );
  }
}

function toTypeText(shown: ConnectorTypeDetail): string {
  const facts = toFacts([
    ["connector", shown.key],
    ["name", shown.name],
    ["description", shown.description],
    ["state", shown.disabled_type ? "disabled" : "enabled"],
  ]);
  const operations = toTable(
    shown.operations,
    [
      ["operation", (operation) => operation.key],
      ["destructive", (operation) => (operation.destructive ? "yes" : "")],
      ["reached by", (operation) => (operation.test_only ? "row test only" : "MCP")],
      ["name", (operation) => operation.name],
    ],
    "It has no operations.",
  );
  return `${facts}\n\n${toFieldsText(shown.fields)}\n\n${operations}`;
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
