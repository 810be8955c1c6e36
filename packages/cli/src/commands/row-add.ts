import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { askMissing, type FieldOptions, gatherValues } from "../field-values.ts";
import { collect, collectPairs, once } from "../pairs.ts";
import { toRowText } from "../row-text.ts";

const loadRows = () => import("@hub/server/services/rows/rows.ts");

type AddOptions = FieldOptions & {
  label: string;
  description?: string;
  tag?: string[];
  incomplete?: true;
};

export function defineRowAdd(row: Command, cli: Cli): void {
  row
    .command("add")
    .argument("<connector>", `key of a connector; "${cli.name} type list" shows them`)
    .description("configure a connector; asks on a terminal for required fields that are not given")
    .requiredOption("--label <label>", "what people and models call the row")
    .option("--description <text>", "what is behind it, for people and models")
    .option(
      "--tag <tag>",
      'users with this tag see it, "everyone" is every user\'s; may be repeated',
      collect,
    )
    .option("--set <key=value>", "value of a field; may be repeated", collectPairs)
    .option(
      "--secret-stdin <key>",
      "read a secret field from standard input, or be asked on a terminal",
      once,
    )
    .option("--secret-env <key=VAR>", "take a secret field from the environment", collectPairs)
    .option("--incomplete", "add it although required fields are missing")
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
        // Asked for even so: it refuses what does not fit before a person is asked for the rest.
        const missing = findMissing(given);
        const isComplete = options.incomplete || missing.length === 0;
        const values = isComplete ? given : await askMissing(cli.terminal, given, findMissing);
        const added = await addRow(services, actor, {
          connector,
          label: options.label,
          tags: options.tag ?? [],
          values,
          ...(options.description !== undefined && { description: options.description }),
        });
        return { json: added, text: toRowText(added) };
      }),
    );
}
