import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toOutputText } from "../errors/report-failure.ts";
import { exitCodes } from "../errors/usage-error.ts";
import { callAsLocalAdmin } from "../look-ups/call-as-local-admin.ts";
import { rowArgument } from "../rows/row-argument.ts";
import { toPrintable } from "../text/table.ts";

export function defineRowHealth(row: Command, cli: Cli): void {
  row
    .command("health")
    .argument(...rowArgument)
    .description("run the connector's health check and record it; exits with 1 if it fails")
    .addHelpText("after", `\nExample:\n  $ ${cli.name} row health "Issue tracker"`)
    .action((name: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, lookups }) => {
        const { showRow } = await import("@hub/server/services/rows/manage-rows.ts");
        const { checkRowHealth } = await import("@hub/server/services/rows/test-row.ts");
        const { id, label } = await showRow(services, await lookups.findRowId(name));
        const health = await callAsLocalAdmin(cli, (ctx) => checkRowHealth(services, ctx, id));
        if (health.ok) {
          const note = health.reason ? ` ${toPrintable(health.reason)}` : "";
          return { json: health, text: `"${label}" works.${note}` };
        }
        process.exitCode = exitCodes.failure;
        const reason = toPrintable(health.reason ?? "the connector gave no reason.");
        const output = toOutputText(health).trimEnd();
        const text = `"${label}" does not work: ${reason}${output === "" ? "" : `\n${output}`}`;
        return { json: health, text };
      }),
    );
}
