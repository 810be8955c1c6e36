import { HubError } from "../errors.ts";
import type { RegisteredConnector } from "./connector-port.ts";

/** The connector types of this process, by key. */
export type ConnectorRegistry = {
  /** Throws `conflict` if the key is taken: no connector may replace another by its key. */
  register(connector: RegisteredConnector): void;
  unregister(key: string): void;
  /** Replaces the connector with the same key in one step. */
  replace(connector: RegisteredConnector): void;
  find(key: string): RegisteredConnector | null;
  /** Sorted by key. */
  list(): RegisteredConnector[];
  /** Connectors that are installed, but that this process cannot use yet. */
  setAwaited(keys: ReadonlySet<string>): void;
  isAwaited(key: string): boolean;
  /** Incremented with every change, so that derived data can be invalidated. */
  generation(): number;
};

/** `decorate` adds to each connector what all of them have in common. */
export function createConnectorRegistry(
  decorate: (connector: RegisteredConnector) => RegisteredConnector = (connector) => connector,
): ConnectorRegistry {
  const connectors = new Map<string, RegisteredConnector>();
  let awaited: ReadonlySet<string> = new Set();
  let generation = 0;
  return {
    register(connector) {
      if (connectors.has(connector.key)) {
        throw new HubError(
          "conflict",
          `A connector with the key "${connector.key}" is already registered. Give this one another key.`,
        );
      }
      connectors.set(connector.key, decorate(connector));
      generation += 1;
    },
    unregister(key) {
      if (connectors.delete(key)) generation += 1;
    },
    replace(connector) {
      if (!connectors.has(connector.key)) {
        throw new Error(`No connector "${connector.key}" is registered`);
      }
      connectors.set(connector.key, decorate(connector));
      generation += 1;
    },
    find: (key) => connectors.get(key) ?? null,
    list: () => [...connectors.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
    setAwaited(keys) {
      awaited = keys;
    },
    isAwaited: (key) => awaited.has(key) && !connectors.has(key),
    generation: () => generation,
  };
}
