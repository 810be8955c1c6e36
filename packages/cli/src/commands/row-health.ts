import type { Command } from "commander";
import { callAsLocalAdmin } from "../call-as-local-admin.ts";
import type { Cli } from "../cli.ts";
import { toOutputText } from "../report-failure.ts";
import { rowArgument } from "../row-argument.ts";
import { toPrintable } from "../table.ts";
import { exitCodes } from "../usage-error.ts";

export function defineRowHealth(row: Command, cli: Cli): void {
  row
    .command("health")
    .argument(...rowArgument)
    .description("run the connector's health check and record it; exits with 1 if it fails")
    .addHelpText("after", `\nExample:\n  $ ${cli.name} row health "Issue tracker"`)
    .action((name: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, lookups }) => {
        const { showRow } = await import("@hub/server/services/rows/rows.ts");
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
