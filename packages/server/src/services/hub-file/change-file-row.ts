import type { HubFileRow } from "@hub/contract/hub-file.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import type { ValuePath } from "../../lib/yaml/find-position.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { toTagNames } from "../../store/tags/tags-table.ts";
import { toFieldTexts } from "../rows/row-values.ts";
import { setRow } from "../rows/set-row.ts";
import { type ApplyContext, at, compareFields, hasField, toRowTarget } from "./apply-context.ts";
import { findReferences, isStored, readValues, toFields } from "./file-row-values.ts";
import { setFileRules } from "./set-file-rules.ts";
import { setReadMarks } from "./set-read-marks.ts";
import { setRowSwitches } from "./set-row-switches.ts";

type PresentRow = { given: HubFileRow; present: RowRecord; connector: RegisteredConnector };

/** Makes a present row as the file has it. What the file leaves out stays. */
export async function changeFileRow(
  context: ApplyContext,
  place: ValuePath,
  { given, present, connector }: PresentRow,
): Promise<void> {
  const { deps, author, changes } = context;
  const { label, description, tags, tests, access, slug, enabled, operations = {} } = given;
  const wanted = {
    label: label.trim(),
    description,
    tests,
    access,
    slug,
    enabled,
    tags: tags === undefined ? undefined : toTagNames(tags).sort(),
  };
  const fields = compareFields(wanted, {
    label: present.label,
    description: present.description,
    slug: present.slug,
    tests: present.tests,
    access: present.access,
    enabled: !present.disabled,
    tags: [...present.tags].sort(),
  });
  const values = await at(context, [...place, "values"], async () => {
    const read = readValues(context, given, connector);
    const texts = toFieldTexts(connector.configFields, Object.fromEntries(read));
    const references = findReferences(connector, given);
    return read.filter(
      ([key]) =>
        !isStored(context, present, {
          key,
          text: texts.get(key),
          isReference: references.has(key),
        }),
    );
  });
  if (
    values.length > 0 ||
    ["label", "description", "tags", "tests", "access"].some((one) => hasField(fields, one))
  ) {
    await at(context, values.length > 0 ? [...place, "values"] : place, () =>
      setRow(
        deps,
        author.actor,
        present.id,
        {
          ...(hasField(fields, "label") && { label }),
          ...(hasField(fields, "description") && { description }),
          ...(hasField(fields, "tags") && { tags }),
          ...(hasField(fields, "tests") && { tests }),
          ...(hasField(fields, "access") && { access }),
          values: Object.fromEntries(values),
        },
        { references: findReferences(connector, given) },
      ),
    );
  }
  const switched = Object.entries(operations).filter(
    ([key, to]) => (present.operationStates[key] ?? true) !== to,
  );
  await setRowSwitches(context, place, {
    row: present,
    connector,
    operations: Object.fromEntries(switched),
    slug: hasField(fields, "slug") ? slug : undefined,
    enabled: hasField(fields, "enabled") ? enabled : undefined,
  });
  const marks = await setReadMarks(context, place, { row: present, connector, reads: given.reads });
  const rules = await setFileRules(context, place, present.id, given.rules);
  const all = [
    ...fields,
    ...marks,
    ...rules,
    ...toFields(connector, values, present),
    ...switched.map(([key, to]) => ({ field: `operations.${key}`, from: !to, to, secret: false })),
  ];
  if (all.length > 0) {
    changes.push({ ...toRowTarget(given, present.id), action: "update", fields: all });
  }
}
