import type { Caller } from "../../../caller.ts";
import { checkAwaited } from "../../../connectors/check-awaited.ts";
import type { Operation, RegisteredConnector } from "../../../connectors/connector-port.ts";
import { HubError } from "../../../errors.ts";
import { isForAdmins } from "../../../operations/admission/for-admins.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { findConnector, findOperation } from "../../connectors/find-connector.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadVisibleRow } from "../load-row.ts";
import { refusedMax, sortWidgetFields } from "./widget-fields.ts";

type Who = { caller: Caller };

/** Why a user who is no admin saves nothing through a widget. */
export const settingsRefusal = "Only admins change the settings of a row.";

/** The row as the caller sees it, with its connector. */
export async function findUsed(
  { store, registry }: Pick<ServiceDeps, "store" | "registry">,
  { caller }: Who,
  rowId: string,
): Promise<{ row: RowRecord; connector: RegisteredConnector }> {
  const row = await loadVisibleRow(store.db, caller, rowId);
  // The error for an unknown connector lists all of them, also those that only admins see.
  if (caller.role !== "admin" && registry.find(row.connectorKey) === null) {
    checkAwaited(registry, row.connectorKey);
    throw new HubError("not_found", `The connector of "${row.label}" cannot be used now.`);
  }
  return { row, connector: findConnector(registry, row.connectorKey) };
}

/** An operation that the caller may know of. */
export function findUsedOperation(
  { caller }: Who,
  connector: RegisteredConnector,
  key: string,
): Operation {
  const operation = connector.operations.get(key);
  if (caller.role === "admin" || (operation && !isForAdmins(connector, operation))) {
    return findOperation(connector, key);
  }
  throw new HubError("not_found", `There is no operation "${key}" that you can call.`);
}

/** The fields of a click's result that it saves, and those that it may not. Only admins change the row. */
export function sortFieldsFor(
  { caller }: Who,
  { configFields }: RegisteredConnector,
  fields: Record<string, unknown>,
): ReturnType<typeof sortWidgetFields> {
  if (caller.role === "admin") return sortWidgetFields(configFields, fields);
  const names = Object.keys(fields).slice(0, refusedMax);
  return { values: {}, refused: names.map((field) => ({ field, reason: settingsRefusal })) };
}
