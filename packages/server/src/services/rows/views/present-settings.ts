import { toSettings } from "@hub/connector";
import type { OperationForm, RowSettings } from "@hub/contract/row-settings.ts";
import type { Operation, RegisteredConnector } from "../../../connectors/connector-port.ts";
import { toFieldGroup, toInputGroups } from "../../../connectors/field-groups.ts";
import { toOperationSchema } from "../../../connectors/operation-schema.ts";
import { findMissingFields } from "../../../connectors/rows/find-missing-fields.ts";
import { isOutside } from "../../../secrets/at-rest/at-rest.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";

/** A row's settings page. A secret shows only whether it is set. */
export function toRowSettings(
  { configFields, sealExposed }: RegisteredConnector,
  row: RowRecord,
): RowSettings {
  const texts: Record<string, string> = Object.create(null);
  for (const { key, value } of row.values) if (value !== null) texts[key] = value;
  const set = new Set(row.values.map((stored) => stored.key));
  const { exposed = [] } = sealExposed?.(new Map(Object.entries(texts)), undefined) ?? {};
  const outside = row.values
    .filter(({ sealed }) => sealed !== null && isOutside(sealed))
    .map(({ key }) => key)
    .sort();
  const groups = toSettings(configFields, texts, { isSet: (key) => set.has(key) });
  return {
    row_id: row.id,
    version: row.version,
    missing: findMissingFields(configFields, row).map((field) => field.key),
    groups: groups.map(toFieldGroup),
    ...(exposed.length > 0 && { exposed }),
    ...(outside.length > 0 && { outside }),
  };
}

/** The inputs of an operation as a form. The default of a secret is not shown. */
export function toOperationForm(operation: Operation): OperationForm {
  const { key, name, description, inputFields } = operation;
  return {
    key,
    name,
    description,
    input_schema: toOperationSchema(operation),
    output_schema: operation.outputSchema ?? null,
    groups: toInputGroups(inputFields),
  };
}
