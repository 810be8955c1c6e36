import type { ReadMarks } from "@hub/contract/row-discovery.ts";
import { command, group, switches } from "../declare/command.ts";
import { argument, flag } from "../declare/parameters.ts";
import { checkNamedOrAll } from "../operations/check-named-or-all.ts";
import { typedRowArgument } from "../rows/row-argument.ts";

const loadOperations = () => import("@hub/server/services/rows/operations/manage-operations.ts");

export const define = group(
  {
    heading: "Example",
    examples: ['op disable "Issue tracker" delete', 'op reads "Issue tracker" --all'],
  },
  [
    ...switches.map((verb) =>
      command(verb, `${verb} one operation of a row, from the next call on`, {
        takes: {
          row: typedRowArgument,
          operation: argument("<operation>", "key of the operation"),
        },
        async does({ services, actor, lookups }, { row, operation }) {
          const setOperation = (await loadOperations())[`${verb}Operation`];
          return await setOperation(services, actor, await lookups.findRowId(row), { operation });
        },
        shows: (_, { row, operation }) => `The operation ${operation} of "${row}" is ${verb}d.`,
      }),
    ),
    command(
      "reads",
      "mark approved operations of a row as ones that only read: hub_read and dry runs call them, and workflows repeat them; a change ends the mark",
      {
        takes: {
          row: typedRowArgument,
          keys: argument("[operation...]", "keys of operations"),
          all: flag("all that are not described as destructive, such as GETs"),
          off: flag("remove the marks instead"),
        },
        async does({ services, actor, lookups }, { row, keys, all, off }) {
          checkNamedOrAll(keys, all, "mark");
          const { markReads } = await import("@hub/server/services/rows/discovery/mark-reads.ts");
          const marks = { operations: all ? undefined : keys, reads: !off };
          return await markReads(services, actor, await lookups.findRowId(row), marks);
        },
        shows: (marked, { row }) => toMarkText(row, marked),
      },
    ),
  ],
);

function toMarkText(row: string, { reads, operations, count }: ReadMarks): string {
  if (count === 0) return `No operation of "${row}" has changed.`;
  const more = count > operations.length ? ` and ${count - operations.length} more` : "";
  const verb = reads ? "Marked as reading" : "No longer marked as reading";
  return `${verb}: ${operations.join(", ")}${more}`;
}
