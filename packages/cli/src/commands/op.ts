import type { ReadMarks } from "@hub/contract/row-discovery.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { checkNamedOrAll } from "../operations/check-named-or-all.ts";
import { rowArgument } from "../rows/row-argument.ts";

type ReadsOptions = { all?: true; off?: true };

export function define(op: Command, cli: Cli): void {
  op.addHelpText(
    "after",
    `
Example:
  $ ${cli.name} op disable "Issue tracker" delete
  $ ${cli.name} op reads "Issue tracker" --all`,
  );

  for (const verb of ["enable", "disable"] as const) {
    op.command(verb)
      .argument(...rowArgument)
      .argument("<operation>", "key of the operation")
      .description(`${verb} one operation of a row, from the next call on`)
      .action((row: string, operation: string, _: unknown, command: Command) =>
        cli.answer(command, async ({ services, actor, lookups }) => {
          const rowOperations = await import(
            "@hub/server/services/rows/operations/manage-operations.ts"
          );
          const setOperation = rowOperations[`${verb}Operation`];
          const rowId = await lookups.findRowId(row);
          return {
            json: await setOperation(services, actor, rowId, { operation }),
            text: `The operation ${operation} of "${row}" is ${verb}d.`,
          };
        }),
      );
  }

  op.command("reads")
    .argument(...rowArgument)
    .argument("[operation...]", "keys of operations")
    .description(
      "mark approved operations of an mcp or openapi row as ones that only read: dry runs call them, and workflows repeat them; a change ends the mark",
    )
    .option("--all", "all that the outside system does not describe as destructive, such as GETs")
    .option("--off", "remove the marks instead")
    .action((name: string, keys: string[], { all, off }: ReadsOptions, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        checkNamedOrAll(keys, all, "mark");
        const { markReads } = await import("@hub/server/services/rows/discovery/mark-reads.ts");
        const rowId = await lookups.findRowId(name);
        const operations = all ? undefined : keys;
        const marked = await markReads(services, actor, rowId, { operations, reads: !off });
        return { json: marked, text: toMarkText(name, marked) };
      }),
    );
}

function toMarkText(row: string, { reads, operations, count }: ReadMarks): string {
  if (count === 0) return `No operation of "${row}" has changed.`;
  const more = count > operations.length ? ` and ${count - operations.length} more` : "";
  const verb = reads ? "Marked as reading" : "No longer marked as reading";
  return `${verb}: ${operations.join(", ")}${more}`;
}
