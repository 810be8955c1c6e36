import { suggest } from "@hub/connector";
import { checkAwaited } from "../../connectors/check-awaited.ts";
import type { Operation, RegisteredConnector } from "../../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";

/** Throws `not_found` with a similar key or the list of all keys, and says to check the plugin. */
export function findConnector(registry: ConnectorRegistry, key: string): RegisteredConnector {
  const connector = registry.find(key);
  if (connector !== null) return connector;
  checkAwaited(registry, key);
  const keys = registry.list().map((other) => other.key);
  throw new HubError(
    "not_found",
    `There is no connector "${key}".${suggest(key, keys) || ` There are: ${keys.join(", ")}.`} The connector of a plugin exists only while the plugin is installed and enabled: see \`hub plugin list\`.`,
  );
}

/** Throws `not_found` with a similar operation or the list of all operations. */
export function findOperation(
  { key: connectorKey, operations }: Pick<RegisteredConnector, "key" | "operations">,
  key: string,
): Operation {
  const operation = operations.get(key);
  if (operation !== undefined) return operation;
  throw toMissing(`The connector "${connectorKey}"`, [...operations.keys()], key);
}

/** The same for an operation of a row, which may be the row's own. */
export async function findRowOperation(
  registry: ConnectorRegistry,
  db: Db,
  row: Pick<RowRecord, "id" | "connectorKey" | "operationsId" | "values">,
  key: string,
): Promise<Operation> {
  if (row.operationsId === null)
    return findOperation(findConnector(registry, row.connectorKey), key);
  const operations = await registry.loadOperations(db, row);
  const operation = operations.get(key);
  if (operation !== undefined) return operation;
  throw toMissing("The row", [...operations.keys()], key);
}

function toMissing(owner: string, keys: readonly string[], key: string): HubError {
  const listed = keys.slice(0, 50).join(", ");
  const rest = keys.length > 50 ? ` and ${keys.length - 50} more` : "";
  return new HubError(
    "not_found",
    `${owner} has no operation "${key}".${suggest(key, keys) || ` It has: ${listed}${rest}.`}`,
  );
}
