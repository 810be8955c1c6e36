import { HubError } from "../errors.ts";
import type { RegisteredConnector } from "./connector-port.ts";

/** The connector types that this process can run, by key. */
export type ConnectorRegistry = {
  /** Throws `conflict` when the key is taken: no connector replaces another by its name. */
  register(connector: RegisteredConnector): void;
  unregister(key: string): void;
  /** Puts a connector in the place of the one with its key, with no moment between the two. */
  replace(connector: RegisteredConnector): void;
  find(key: string): RegisteredConnector | null;
  /** Sorted by key. */
  list(): RegisteredConnector[];
  /** Moves with every change, so that what is derived from the registry can tell. */
  generation(): number;
};

export function createConnectorRegistry(): ConnectorRegistry {
  const connectors = new Map<string, RegisteredConnector>();
  let generation = 0;
  return {
    register(connector) {
      if (connectors.has(connector.key)) {
        throw new HubError(
          "conflict",
          `A connector with the key "${connector.key}" is registered already; give this one another key.`,
        );
      }
      connectors.set(connector.key, connector);
      generation += 1;
    },
    unregister(key) {
      if (connectors.delete(key)) generation += 1;
    },
    replace(connector) {
      if (!connectors.has(connector.key)) {
        throw new Error(`There is no connector "${connector.key}" to replace.`);
      }
      connectors.set(connector.key, connector);
      generation += 1;
    },
    find: (key) => connectors.get(key) ?? null,
    list: () => [...connectors.values()].sort((a, b) => (a.key < b.key ? -1 : 1)),
    generation: () => generation,
  };
}
