import { command } from "../declare/command.ts";
import { option, repeated, tagOptions, toTagChange } from "../declare/parameters.ts";
import { describeWeak } from "../rows/describe-weak.ts";
import { fieldOptions, gatherValues } from "../rows/field-values.ts";
import { rowArgument } from "../rows/row-argument.ts";
import { toRowText } from "../rows/row-text.ts";
import { accessOption, testsOption } from "../rows/tests-option.ts";

const { set, ...secretOptions } = fieldOptions;

export const rowSet = command("set", "change the named values of a row, from the next call on", {
  takes: {
    id: rowArgument,
    label: option("<label>", "change the label; tool ids do not change"),
    description: option("<text>", "change the description"),
    ...tagOptions,
    tests: testsOption,
    access: accessOption,
    set,
    unset: repeated("<key>", "clear a field; may be repeated"),
    ...secretOptions,
    regen: repeated("<key>", "set a field to a newly generated value"),
  },
  help: { examples: ['row set "Issue tracker" --tag support --secret-stdin token < token.txt'] },
  async does({ services, actor, registry }, typed, { terminal }) {
    const { id, unset = [], regen: regenerate = [], label, description, tests, access } = typed;
    const { showRow } = await import("@hub/server/services/rows/manage-rows.ts");
    const { setRow } = await import("@hub/server/services/rows/set-row.ts");
    const { connector } = await showRow(services, id);
    const fields = registry.find(connector)?.configFields ?? [];
    const values = await gatherValues(terminal, fields, typed);
    for (const key of unset) values[key] = "";
    const change = { label, description, tests, access, values, regenerate, ...toTagChange(typed) };
    return await setRow(services, actor, id, change);
  },
  shows: (changed) => toRowText(changed),
  note: describeWeak,
});
