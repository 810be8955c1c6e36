import { answeringCommand } from "../declare/command.ts";
import { argument, flag, option, repeated, requiredOption } from "../declare/parameters.ts";
import { describeWeak } from "../rows/describe-weak.ts";
import { askMissing, fieldOptions, gatherValues } from "../rows/field-values.ts";
import { toRowText } from "../rows/row-text.ts";
import { accessOption, testsOption } from "../rows/tests-option.ts";

export const rowAdd = answeringCommand(
  "add",
  "configure a connector; asks on a terminal for required fields that are not given",
  {
    takes: {
      connector: argument("<connector>", 'key of a connector; "{hub} type list" shows them'),
      label: requiredOption("<label>", "name of the row for users and models"),
      description: option("<text>", "what the row connects to, for users and models"),
      tag: repeated(
        "<tag>",
        'users with this tag see the row; every user has "everyone"; may be repeated',
      ),
      tests: testsOption,
      access: accessOption,
      ...fieldOptions,
      incomplete: flag("add the row although required fields are missing"),
    },
    help: {
      examples: [
        `row add http --label "Issue tracker" --tag support \\
      --set base_url=https://api.example.com --set auth_mode=bearer --secret-env token=TRACKER_TOKEN`,
      ],
    },
    async answers({ services, actor, registry }, typed, { terminal, name }) {
      const { connector, label, description, tag: tags = [], tests, access, incomplete } = typed;
      const { addRow, findMissingOfNewRow } = await import(
        "@hub/server/services/rows/manage-rows.ts"
      );
      const fields = registry.find(connector)?.configFields ?? [];
      const given = await gatherValues(terminal, fields, typed);
      const findMissing = (values: Record<string, string>) =>
        findMissingOfNewRow(services, { connector, values });
      // Also with --incomplete: it refuses invalid values before the first prompt.
      const missing = findMissing(given);
      const isComplete = incomplete || missing.length === 0;
      const values = isComplete ? given : await askMissing(terminal, given, findMissing);
      const input = { connector, label, tags, values, description, tests, access };
      const added = await addRow(services, actor, input);
      const isBridge = registry.find(connector)?.discover !== undefined;
      const next = `The row brings its own operations. Find them with: ${name} bridge discover "${added.label}"`;
      const note = [describeWeak(added), isBridge ? next : null].filter((line) => line !== null);
      return {
        json: added,
        text: toRowText(added),
        ...(note.length > 0 && { note: note.join("\n") }),
      };
    },
  },
);
