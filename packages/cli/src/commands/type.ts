import type { ConnectorField, ConnectorTypeDetail } from "@hub/contract/connector-type.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toFacts, toTable } from "../table.ts";

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
    .description("list the connectors of which rows can be made")
    .action((_: unknown, command: Command) =>
      cli.answer(command, async ({ manager }) => {
        const types = await manager.types.list();
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
    .description("show what a row of the connector needs and can do")
    .action((key: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ manager }) => {
        const shown = await manager.types.show(key);
        return { json: shown, text: toTypeText(shown) };
      }),
    );

  for (const verb of ["enable", "disable"] as const) {
    type
      .command(verb)
      .argument("<connector>", "key of the connector")
      .description(`${verb} all rows of a connector; the next call obeys`)
      .action((key: string, _: unknown, command: Command) =>
        cli.answer(command, async ({ manager }) => ({
          json: await manager.types[verb](key),
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
  const fields = toTable(
    shown.fields,
    [
      ["field", (field) => field.key],
      ["widget", (field) => field.widget],
      ["required", (field) => (field.required ? "yes" : "")],
      ["only if", toCondition],
      ["default", (field) => field.default],
      ["choices", (field) => [...field.options, ...field.columns].join(" | ")],
      ["description", (field) => field.description],
    ],
    "It needs no configuration.",
  );
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
  return `${facts}\n\n${fields}\n\n${operations}`;
}

function toCondition({ visible_when }: ConnectorField): string {
  return visible_when === null ? "" : `${visible_when.field}=${visible_when.values.join("|")}`;
}
