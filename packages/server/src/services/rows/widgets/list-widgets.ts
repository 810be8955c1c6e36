import { type FieldSpec, isFieldShown, readConfig } from "@hub/connector";
import type { RowWidget } from "@hub/contract/row.ts";
import type { Caller } from "../../../caller.ts";
import type { RegisteredConnector } from "../../../connectors/connector-port.ts";
import { mayTest } from "../../../connectors/rows/row-visibility.ts";
import { isForAdmins } from "../../../operations/admission/for-admins.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";

/**
 * The html widgets of a row's settings that the caller may use, in the order of the fields and without their values. Hidden
 * fields are not listed, nor those that the other settings leave unused.
 */
export function listWidgets(
  caller: Caller,
  connector: RegisteredConnector | null,
  row: RowRecord,
): RowWidget[] {
  if (connector === null || !mayTest(caller, row)) return [];
  const { configFields } = connector;
  const texts: Record<string, string> = Object.create(null);
  for (const { key, value } of row.values) if (value !== null) texts[key] = value;
  const values = readConfig(configFields, texts);
  return configFields
    .filter((field) => !field.hidden && isUsable(caller, connector, field))
    .filter((field) => isFieldShown(configFields, field, values))
    .map(({ key, name, description = "", locked }) => ({ key, name, description, locked }));
}

function isUsable(
  { role }: Caller,
  connector: RegisteredConnector,
  { htmlOp }: FieldSpec,
): boolean {
  const operation = htmlOp === undefined ? undefined : connector.operations.get(htmlOp);
  return operation !== undefined && (role === "admin" || !isForAdmins(connector, operation));
}
