import type { Row } from "@hub/contract/row.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { readAllPages } from "../look-ups/read-all-pages.ts";
import { rowArgument } from "../rows/row-argument.ts";
import { toRowText } from "../rows/row-text.ts";
import { toTable } from "../text/table.ts";
import { defineRowAdd } from "./row-add.ts";
import { defineRowHealth } from "./row-health.ts";
import { defineRowSet } from "./row-set.ts";
import { defineRowTest } from "./row-test.ts";

const loadRows = () => import("@hub/server/services/rows/manage-rows.ts");

export function define(row: Command, cli: Cli): void {
  row.addHelpText(
    "after",
    `
Examples:
  $ ${cli.name} row add http --label "Issue tracker" --set base_url=https://api.example.com --tag support
  $ ${cli.name} row test "Issue tracker" get --param path=/issues
  $ ${cli.name} row set "Issue tracker" --untag support`,
  );

  defineRowAdd(row, cli);

  row
    .command("list")
    .description("list all rows")
    .option("--connector <key>", "only rows of this connector")
    .action((options: { connector?: string }, command: Command) =>
      cli.answer(command, async ({ services }) => {
        const { listRows } = await import("@hub/server/services/rows/views/visible-rows.ts");
        const { localAdmin } = await import("@hub/server/identity/local-admin.ts");
        const rows = await readAllPages((page) =>
          listRows(services, localAdmin, { ...options, ...page }),
        );
        const empty = options.connector === undefined ? "rows yet" : "rows of this connector";
        return { json: rows, text: toRowTable(rows, `There are no ${empty}.`) };
      }),
    );

  row
    .command("show")
    .argument(...rowArgument)
    .description("show a row with its configuration and operations; secrets stay hidden")
    .action((name: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, lookups, findServedBaseUrl }) => {
        const { showRow } = await loadRows();
        const { showConnection } = await import(
          "@hub/server/services/rows/connection/show-connection.ts"
        );
        const row = await showRow(services, await lookups.findRowId(name));
        const baseUrl = await findServedBaseUrl();
        const connection = await showConnection(services, row.id, { baseUrl });
        const shown = connection === null ? row : { ...row, connection };
        return { json: shown, text: toRowText(row, connection) };
      }),
    );

  defineRowSet(row, cli);

  for (const verb of ["enable", "disable"] as const) {
    row
      .command(verb)
      .argument(...rowArgument)
      .description(`${verb} a row, from the next call on`)
      .action((name: string, _: unknown, command: Command) =>
        cli.answer(command, async ({ services, actor, lookups }) => {
          const switchRow = (await loadRows())[`${verb}Row`];
          const changed = await switchRow(services, actor, await lookups.findRowId(name));
          return { json: changed, text: `"${changed.label}" is ${verb}d.` };
        }),
      );
  }

  row
    .command("delete")
    .argument(...rowArgument)
    .description("delete a row with its configuration; its recorded calls are kept")
    .action((name: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        const { deleteRow } = await loadRows();
        const deleted = await deleteRow(services, actor, await lookups.findRowId(name));
        return { json: deleted, text: `Deleted "${deleted.label}" (${deleted.id}).` };
      }),
    );

  defineRowHealth(row, cli);
  defineRowTest(row, cli);
}

function toRowTable(rows: readonly Row[], empty: string): string {
  return toTable(
    rows,
    [
      ["id", (row) => row.id],
      ["connector", (row) => row.connector],
      ["label", (row) => row.label],
      ["tags", (row) => row.tags.join(", ")],
      ["state", toState],
    ],
    empty,
  );
}

function toState(row: Row): string {
  if (row.missing === null) return "plugin missing or disabled";
  if (row.disabled_type) return "connector disabled";
  if (row.disabled) return "disabled";
  return row.missing.length > 0 ? `needs ${row.missing.join(", ")}` : "enabled";
}
