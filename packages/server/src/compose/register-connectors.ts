import type { ConnectorDefinition } from "@hub/connector";
import { httpConnector } from "../connectors/builtin/http/http-connector.ts";
import { toMarkable } from "../connectors/by-row/marked-operations.ts";
import type { RegisteredConnector } from "../connectors/connector-port.ts";
import { createLocalConnector } from "../connectors/local-connector.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";

type Connectors = {
  /** The connectors whose rows bring their operations. */
  bridges: readonly RegisteredConnector[];
  /** Those of a downstream project. */
  given: readonly ConnectorDefinition[];
  chats: readonly ConnectorDefinition[];
};

/**
 * Registers the connectors that run in this process, but those of the hub and of workflows. Plugins come later,
 * and may not have their keys.
 */
export function registerConnectors(
  registry: ConnectorRegistry,
  { bridges, given, chats }: Connectors,
): void {
  const http = createLocalConnector(httpConnector, ({ memory }) => ({ memory }));
  registry.register({
    ...http,
    // What a GET does depends on the API of the row.
    operations: toMarkable(http.operations),
    markedFor: (texts) => texts.get("base_url") ?? "",
  });
  for (const connector of bridges) registry.register(connector);
  for (const connector of given) {
    // Also a plugin's connector is this program's own here. As a plugin's, its rows would be lost at the next start.
    const own = { ...connector, tier: "builtin" } as const;
    registry.register(createLocalConnector(own, () => ({})));
  }
  for (const connector of chats) {
    registry.register(createLocalConnector(connector, () => ({}), { isChat: true }));
  }
}
