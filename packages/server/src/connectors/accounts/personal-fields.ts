import { type FieldSpec, isFieldShown, readConfig } from "@hub/connector";
import type { RowRecord } from "../../store/rows/row-record.ts";
import type { RegisteredConnector } from "../connector-port.ts";
import { toPlainTexts } from "../rows/to-plain-texts.ts";

/** The fields of a row with these stored texts for which each user may have an own value. */
export function listPersonalFields(
  { configFields }: Pick<RegisteredConnector, "configFields">,
  texts: ReadonlyMap<string, string>,
): FieldSpec[] {
  const personal = configFields.filter((field) => field.personal);
  if (personal.length === 0) return personal;
  const values = readConfig(configFields, Object.fromEntries(texts));
  return personal.filter((field) => isFieldShown(configFields, field, values));
}

/** Whether rows of a connector may use accounts of their users. */
export function mayHaveAccounts({
  configFields,
  needsConnection,
}: Pick<RegisteredConnector, "configFields" | "needsConnection">): boolean {
  return needsConnection !== undefined || configFields.some((field) => field.personal);
}

/**
 * How a user gets an account in a row: by typing the values of its personal fields, or by signing in elsewhere. Null if its access
 * is shared, or its settings leave nothing to each user.
 */
export function findAccountKind(
  connector: Pick<RegisteredConnector, "configFields" | "needsConnection">,
  row: Pick<RowRecord, "access" | "values">,
): "token" | "oauth" | null {
  if (row.access === "shared") return null;
  const texts = toPlainTexts(row);
  if (connector.needsConnection?.(texts) === true) return "oauth";
  return listPersonalFields(connector, texts).length > 0 ? "token" : null;
}
