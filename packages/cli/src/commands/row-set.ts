import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { type FieldOptions, gatherValues } from "../field-values.ts";
import { collect, collectPairs, once, toList } from "../pairs.ts";
import { rowArgument } from "../row-argument.ts";
import { toRowText } from "../row-text.ts";

type SetOptions = FieldOptions & {
  label?: string;
  description?: string;
  tag?: string[];
  untag?: string[];
  tags?: string;
  unset?: string[];
  regen?: string[];
};

export function defineRowSet(row: Command, cli: Cli): void {
  row
    .command("set")
    .argument(...rowArgument)
    .description("change a row; what is not named stays, and the next call obeys")
    .option("--label <label>", "change the label; tool ids stay")
    .option("--description <text>", "change the description")
    .option("--tag <tag>", "add a tag; may be repeated", collect)
    .option("--untag <tag>", "take a tag away; may be repeated", collect)
    .option("--tags <list>", "replace all tags by these, comma-separated")
    .option("--set <key=value>", "value of a field; may be repeated", collectPairs)
    .option("--unset <key>", "empty a field; may be repeated", collect)
    .option(
      "--secret-stdin <key>",
      "read a secret field from standard input, or be asked on a terminal",
      once,
    )
    .option("--secret-env <key=VAR>", "take a secret field from the environment", collectPairs)
    .option("--regen <key>", "fill a field with a freshly generated value", collect)
    .addHelpText(
      "after",
      `
Example:
  $ ${cli.name} row set "Issue tracker" --tag support --secret-stdin token < token.txt`,
    )
    .action((name: string, options: SetOptions, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups, registry }) => {
        const { showRow } = await import("@hub/server/services/rows/rows.ts");
        const { setRow } = await import("@hub/server/services/rows/set-row.ts");
        const { id, connector } = await showRow(services, await lookups.findRowId(name));
        const fields = registry.find(connector)?.configFields ?? [];
        const values = await gatherValues(cli.terminal, fields, options);
        for (const key of options.unset ?? []) values[key] = "";
        const changed = await setRow(services, actor, id, {
          values,
          addTags: options.tag ?? [],
          removeTags: options.untag ?? [],
          regenerate: options.regen ?? [],
          ...(options.tags !== undefined && { tags: toList(options.tags) }),
          ...(options.label !== undefined && { label: options.label }),
          ...(options.description !== undefined && { description: options.description }),
        });
        return { json: changed, text: toRowText(changed) };
      }),
    );
}
