import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { collect, collectPairs, once, toList } from "../input/option-values.ts";
import { describeWeak } from "../rows/describe-weak.ts";
import { type FieldOptions, gatherValues } from "../rows/field-values.ts";
import { rowArgument } from "../rows/row-argument.ts";
import { toRowText } from "../rows/row-text.ts";
import { type RowTests, testsOption } from "../rows/tests-option.ts";

type SetOptions = FieldOptions & {
  label?: string;
  description?: string;
  tag?: string[];
  untag?: string[];
  tags?: string;
  tests?: RowTests;
  unset?: string[];
  regen?: string[];
};

export function defineRowSet(row: Command, cli: Cli): void {
  row
    .command("set")
    .argument(...rowArgument)
    .description("change the named values of a row, from the next call on")
    .option("--label <label>", "change the label; tool ids do not change")
    .option("--description <text>", "change the description")
    .option("--tag <tag>", "add a tag; may be repeated", collect)
    .option("--untag <tag>", "remove a tag; may be repeated", collect)
    .option("--tags <list>", "replace all tags by these, comma-separated")
    .addOption(testsOption())
    .option("--set <key=value>", "value of a field; may be repeated", collectPairs)
    .option("--unset <key>", "clear a field; may be repeated", collect)
    .option(
      "--secret-stdin <key>",
      "read a secret field from standard input, or ask for it on a terminal",
      once,
    )
    .option("--secret-env <key=VAR>", "read a secret field from a variable", collectPairs)
    .option("--regen <key>", "set a field to a newly generated value", collect)
    .addHelpText(
      "after",
      `
Example:
  $ ${cli.name} row set "Issue tracker" --tag support --secret-stdin token < token.txt`,
    )
    .action((name: string, options: SetOptions, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups, registry }) => {
        const { showRow } = await import("@hub/server/services/rows/manage-rows.ts");
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
          ...(options.tests !== undefined && { tests: options.tests }),
        });
        const note = describeWeak(changed);
        return { json: changed, text: toRowText(changed), ...(note !== null && { note }) };
      }),
    );
}
