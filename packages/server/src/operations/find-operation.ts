import type { Caller } from "../caller.ts";
import { checkAwaited } from "../connectors/check-awaited.ts";
import type {
  Operation,
  OperationFromRow,
  RegisteredConnector,
} from "../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { Directory, Row } from "../connectors/row-directory.ts";
import { checkRowOwner } from "../connectors/row-owner.ts";
import { isVisible, mayTest } from "../connectors/visibility.ts";
import { HubError } from "../errors.ts";
import { parseToolId } from "./tool-id.ts";

/** One operation of one row. */
export type Target = {
  row: Row;
  connector: RegisteredConnector;
  operation: Operation;
};

/**
 * The path of a call. Clients use the operations that they are offered. A tester, who is no admin, uses the same ones,
 * and through a widget also the operations behind widgets. The manager's test path, which admins have, also reaches
 * maintenance and disabled rows.
 */
export type CallPath = "client" | "tester" | "widget" | "manager";

/** The path of a caller's test, or of a click in a widget. */
export function toTestPath({ role }: Pick<Caller, "role">, isWidget: boolean): CallPath {
  if (role === "admin") return "manager";
  return isWidget ? "widget" : "tester";
}

type FindDeps = { registry: ConnectorRegistry };

/**
 * Finds the row and operation of a tool id, without access checks. Returns null if there is none.
 */
export function findTarget(deps: FindDeps, directory: Directory, toolId: string): Target | null {
  const address = parseToolId(toolId);
  if (address === null) return null;
  const row = directory.find(address.rowId);
  if (row === null) return null;
  const connector = deps.registry.find(row.connectorKey);
  const operation = row.operations.get(address.operationKey);
  return connector && operation ? { row, connector, operation } : null;
}

/**
 * Throws `plugin_unavailable` if the tool is missing because its plugin is not on this server yet,
 * and the caller may see its row.
 */
export function checkPresent(
  deps: FindDeps,
  directory: Directory,
  { caller, toolId }: { caller: Caller; toolId: string },
): void {
  const address = parseToolId(toolId);
  const row = address === null ? null : directory.find(address.rowId);
  if (row !== null && isVisible(caller, row)) checkAwaited(deps.registry, row.connectorKey);
}

/** Whether clients are offered the operation. Widget and maintenance operations are not offered. */
export function isOffered(operation: Operation): boolean {
  return !(operation.configOnly || operation.adminOnly);
}

/** Throws unless the caller may run the target now. */
export function checkAccess(
  caller: Caller,
  directory: Directory,
  target: Target | null,
  path: CallPath,
): asserts target is Target {
  checkVisible(caller, target, path);
  checkEnabled(directory, target, path);
}

/**
 * Throws unless the caller may see the target. A hidden target gets the same error as a missing
 * one, so that callers cannot probe for rows.
 */
export function checkVisible(
  caller: Caller,
  target: Target | null,
  path: CallPath,
): asserts target is Target {
  if (target === null || !isVisible(caller, target.row)) throw toHidden();
  checkMayTest(caller, target.row, path);
  if (!isReachable(caller, target, path)) throw toHidden();
}

function toHidden(): HubError {
  return new HubError(
    "not_found",
    "This tool does not exist, or you may not use it. Use hub_search or hub_list to find the tool_ids you can call.",
  );
}

/** Throws if the path is that of a test, and the row keeps its tests for admins. */
export function checkMayTest(
  caller: Caller,
  row: Pick<Row, "label" | "tags" | "tests">,
  path: CallPath,
): void {
  if (path === "client" || mayTest(caller, row)) return;
  throw new HubError(
    "forbidden",
    `Only admins may test "${row.label}". Ask an admin to test it, or to let the users test who share a tag with it.`,
  );
}

/**
 * Throws if the row is of other code, or an admin has disabled the target. The manager's path also
 * reaches disabled targets.
 */
export function checkEnabled(directory: Directory, target: Target, path: CallPath): void {
  checkRowOwner(target.row, target.connector);
  if (path === "manager") return;
  if (directory.isTypeDisabled(target.row.connectorKey) || target.row.disabled) {
    throw new HubError(
      "connector_disabled",
      `"${target.row.label}" is disabled. Ask an admin to enable it, or use another tool.`,
    );
  }
  const { review } = target.operation.fromRow ?? { review: null };
  if (review !== null) {
    throw new HubError("operation_disabled", describeReview(target, review));
  }
  if (!isOperationEnabled(target.row, target.operation)) {
    throw new HubError(
      "operation_disabled",
      `The operation "${target.operation.key}" of "${target.row.label}" is disabled. Ask an admin to enable it, or use another tool.`,
    );
  }
}

/** Maintenance operations are for admins on every path. */
function isReachable(caller: Caller, { operation, connector }: Target, path: CallPath): boolean {
  if (isHiddenFrom(caller, connector, operation)) return false;
  if (path === "client" || path === "tester") return isOffered(operation);
  return caller.role === "admin" || !operation.adminOnly;
}

/** Whether the connector has this operation for admins alone. */
export function isHiddenFrom(
  { role }: Pick<Caller, "role">,
  { adminOperations }: RegisteredConnector,
  { key }: Operation,
): boolean {
  return role !== "admin" && adminOperations?.has(key) === true;
}

/**
 * Operations are enabled until an admin disables them. What a row's outside system added or changed
 * waits until an admin has seen it.
 */
export function isOperationEnabled(
  row: Pick<Row, "operationStates">,
  { key, fromRow }: Pick<Operation, "key" | "fromRow">,
): boolean {
  if (fromRow && fromRow.review !== null) return false;
  return row.operationStates[key] ?? true;
}

function describeReview(
  { row, operation }: Target,
  review: NonNullable<OperationFromRow["review"]>,
): string {
  const place = `The operation "${operation.key}" of "${row.label}"`;
  if (review === "gone") {
    return `${place} is no longer offered by its outside system. Use another tool.`;
  }
  if (review === "invalid") {
    return `${place} is now described by its outside system in a way that the hub cannot use. Ask an admin to look at it, or use another tool.`;
  }
  const reason = review === "new" ? "is new" : "was changed by its outside system";
  return `${place} ${reason} and waits for an admin. Ask an admin to review it, or use another tool.`;
}
