import type { HubFileRow } from "@hub/contract/hub-file.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import type { ValuePath } from "../../lib/yaml/find-position.ts";
import { findRow } from "../../store/rows/rows-table.ts";
import { addRow } from "../rows/manage-rows.ts";
import { toFieldTexts } from "../rows/row-values.ts";
import { type ApplyContext, at, compareFields, toRowTarget } from "./apply-context.ts";
import { kept } from "./export-hub.ts";
import { findReferences, readValues, toFields } from "./file-row-values.ts";
import { setFileRules } from "./set-file-rules.ts";
import { setReadMarks } from "./set-read-marks.ts";
import { setRowSwitches } from "./set-row-switches.ts";

/** Makes a row of the file that this hub does not have. Returns its id. */
export async function createFileRow(
  context: ApplyContext,
  place: ValuePath,
  given: HubFileRow,
  connector: RegisteredConnector,
): Promise<string> {
  const { deps, author, changes, notes } = context;
  const { id, label, description, tags, tests, access, slug, enabled, operations = {} } = given;
  const values = await at(context, [...place, "values"], async () => {
    const read = readValues(context, given, connector);
    // So that a refusal names the line of the value.
    toFieldTexts(connector.configFields, Object.fromEntries(read));
    return read;
  });
  const input = {
    connector: connector.key,
    label,
    values: Object.fromEntries(values),
    ...(description !== undefined && { description }),
    ...(tags !== undefined && { tags }),
    ...(tests !== undefined && { tests }),
    ...(access !== undefined && { access }),
  };
  const made = await at(context, place, () =>
    addRow(deps, author.actor, input, {
      ...(id !== undefined && { id: id.toLowerCase() }),
      references: findReferences(connector, given),
    }),
  );
  const target = toRowTarget(given, made.id);
  const shown = { description, tags, tests, access, slug, enabled };
  const fields = [...compareFields(shown, {}), ...toFields(connector, values)];
  changes.push({ ...target, action: "create", fields });
  const row = await findRow(deps.store.db, made.id);
  if (row === null) throw new Error(`The row ${made.id} disappeared right after it was made.`);
  await setRowSwitches(context, place, { row, connector, slug, enabled, operations });
  await setReadMarks(context, place, { row, connector, reads: given.reads });
  fields.push(...(await setFileRules(context, place, row.id, given.rules)));
  if (made.missing !== null && made.missing.length > 0) {
    notes.push(`The row "${label}" (${made.id}) needs ${made.missing.join(", ")}.`);
  }
  const unset = listKept(given.values).filter((key) => made.missing?.includes(key) !== true);
  if (unset.length > 0) {
    notes.push(
      `The row "${label}" (${made.id}) has no value for ${unset.join(", ")}: the file says keep. If the other hub had one, set it: hub row set ${made.id} --secret-env FIELD=VARIABLE`,
    );
  }
  if (connector.discover !== undefined) {
    notes.push(
      `The row "${label}" (${made.id}) brings its own operations: hub bridge discover ${made.id}`,
    );
  }
  return made.id;
}

/** The fields for which the file has no value, because they are secret. */
function listKept(values: HubFileRow["values"] = {}): string[] {
  return Object.keys(values).filter((key) => values[key] === kept);
}
