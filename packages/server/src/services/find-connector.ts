import type { OperationSpec } from "@hub/connector";
import { suggest } from "@hub/connector";
import { checkAwaited } from "../connectors/check-awaited.ts";
import type { RegisteredConnector } from "../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import { HubError } from "../errors.ts";

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
export function findOperation(connector: RegisteredConnector, key: string): OperationSpec {
  const operation = connector.operations.get(key);
  if (operation !== undefined) return operation;
  const keys = [...connector.operations.keys()];
  throw new HubError(
    "not_found",
    `The connector "${connector.key}" has no operation "${key}".${suggest(key, keys) || ` It has: ${keys.join(", ")}.`}`,
  );
}
