import { answeringCommand } from "../declare/command.ts";
import { toOutputText } from "../errors/report-failure.ts";
import { exitCodes } from "../errors/usage-error.ts";
import { callAsLocalAdmin } from "../look-ups/call-as-local-admin.ts";
import { rowArgument } from "../rows/row-argument.ts";
import { toPrintable } from "../text/table.ts";

export const rowHealth = answeringCommand(
  "health",
  "run the connector's health check and record it; exits with 1 if it fails",
  {
    takes: { id: rowArgument },
    help: { examples: ['row health "Issue tracker"'] },
    async answers({ services }, { id }, cli) {
      const { showRow } = await import("@hub/server/services/rows/manage-rows.ts");
      const { checkRowHealth } = await import("@hub/server/services/rows/test-row.ts");
      const { label } = await showRow(services, id);
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
    },
  },
);
