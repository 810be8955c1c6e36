import { type FieldSpec, isFieldShown, readConfig } from "@hub/connector";
import type { RegisteredConnector } from "../connector-port.ts";

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

/**
 * How a user gets an account in a row with these stored texts: by typing the values of its personal fields, or by
 * signing in elsewhere. Null if there are no accounts of users.
 */
export function findAccountKind(
  connector: Pick<RegisteredConnector, "configFields" | "needsConnection">,
  texts: ReadonlyMap<string, string>,
): "token" | "oauth" | null {
  if (connector.needsConnection?.(texts) === true) return "oauth";
  return listPersonalFields(connector, texts).length > 0 ? "token" : null;
}
