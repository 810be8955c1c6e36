import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { rowArgument } from "../row-argument.ts";

export function define(op: Command, cli: Cli): void {
  op.addHelpText(
    "after",
    `
Example:
  $ ${cli.name} op disable "Issue tracker" delete`,
  );

  for (const verb of ["enable", "disable"] as const) {
    op.command(verb)
      .argument(...rowArgument)
      .argument("<operation>", "key of the operation")
      .description(`${verb} one operation of a row, from the next call on`)
      .action((row: string, operation: string, _: unknown, command: Command) =>
        cli.answer(command, async ({ services, actor, lookups }) => {
          const rowOperations = await import("@hub/server/services/rows/row-operations.ts");
          const setOperation = rowOperations[`${verb}Operation`];
          const rowId = await lookups.findRowId(row);
          return {
            json: await setOperation(services, actor, rowId, { operation }),
            text: `The operation ${operation} of "${row}" is ${verb}d.`,
          };
        }),
      );
  }
}
