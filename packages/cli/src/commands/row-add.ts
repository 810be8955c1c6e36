import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { collect, collectPairs, once } from "../input/option-values.ts";
import { describeWeak } from "../rows/describe-weak.ts";
import { askMissing, type FieldOptions, gatherValues } from "../rows/field-values.ts";
import { toRowText } from "../rows/row-text.ts";
import { type RowTests, testsOption } from "../rows/tests-option.ts";

const loadRows = () => import("@hub/server/services/rows/manage-rows.ts");

type AddOptions = FieldOptions & {
  label: string;
  description?: string;
  tag?: string[];
  tests?: RowTests;
  incomplete?: true;
};

export function defineRowAdd(row: Command, cli: Cli): void {
  row
    .command("add")
    .argument("<connector>", `key of a connector; "${cli.name} type list" shows them`)
    .description("configure a connector; asks on a terminal for required fields that are not given")
    .requiredOption("--label <label>", "name of the row for users and models")
    .option("--description <text>", "what the row connects to, for users and models")
    .option(
      "--tag <tag>",
      'users with this tag see the row; every user has "everyone"; may be repeated',
      collect,
    )
    .addOption(testsOption())
    .option("--set <key=value>", "value of a field; may be repeated", collectPairs)
    .option(
      "--secret-stdin <key>",
      "read a secret field from standard input, or ask for it on a terminal",
      once,
    )
    .option("--secret-env <key=VAR>", "read a secret field from a variable", collectPairs)
    .option("--incomplete", "add the row although required fields are missing")
    .addHelpText(
      "after",
      `
Example:
  $ ${cli.name} row add http --label "Issue tracker" --tag support \\
      --set base_url=https://api.example.com --set auth_mode=bearer --secret-env token=TRACKER_TOKEN`,
    )
    .action((connector: string, options: AddOptions, command: Command) =>
      cli.answer(command, async ({ services, actor, registry }) => {
        const { addRow, findMissingOfNewRow } = await loadRows();
        const fields = registry.find(connector)?.configFields ?? [];
        const given = await gatherValues(cli.terminal, fields, options);
        const findMissing = (values: Record<string, string>) =>
          findMissingOfNewRow(services, { connector, values });
        // Also with --incomplete: it refuses invalid values before the first prompt.
        const missing = findMissing(given);
        const isComplete = options.incomplete || missing.length === 0;
        const values = isComplete ? given : await askMissing(cli.terminal, given, findMissing);
        const added = await addRow(services, actor, {
          connector,
          label: options.label,
          tags: options.tag ?? [],
          values,
          ...(options.description !== undefined && { description: options.description }),
          ...(options.tests !== undefined && { tests: options.tests }),
        });
        const isBridge = registry.find(connector)?.discover !== undefined;
        const notes = [
          describeWeak(added),
          isBridge
            ? `The row brings its own operations. Find them with: ${cli.name} bridge discover "${added.label}"`
            : null,
        ].filter((note) => note !== null);
        return {
          json: added,
          text: toRowText(added),
          ...(notes.length > 0 && { note: notes.join("\n") }),
        };
      }),
    );
}
