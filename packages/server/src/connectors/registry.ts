import { HubError } from "../errors.ts";
import type { Db } from "../store/database/database.ts";
import { listRowOperations } from "../store/rows/row-operations-table.ts";
import type { RowRecord } from "../store/rows/row-record.ts";
import { createMarkedOperationCache } from "./by-row/marked-operation-cache.ts";
import { hasMarkable, markOperations } from "./by-row/marked-operations.ts";
import { createRowOperationCache, type Operations } from "./by-row/row-operation-cache.ts";
import type { RegisteredConnector } from "./connector-port.ts";

type StoredRow = Pick<RowRecord, "id" | "connectorKey" | "operationsId" | "values">;

const noOperations: Operations = new Map();

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
  /**
   * The operations of a stored row: its own, or those of its connector with the marks of the row. `db` is a transaction if the
   * row was read in one.
   */
  loadOperations(db: Db, row: StoredRow): Promise<Operations>;
  /**
   * The same for committed rows whose connectors leave marks to admins. They are kept in memory, so that each stays the same object
   * until it changes. Other rows are not in the answer.
   */
  loadMarked(
    db: Db,
    rows: ReadonlyArray<StoredRow & Pick<RowRecord, "version">>,
  ): Promise<ReadonlyMap<string, Operations>>;
  /** Drops the operations of all other rows from memory. */
  keepOperations(rowIds: ReadonlySet<string>): void;
  /** Incremented with every change, so that derived data can be invalidated. */
  generation(): number;
};

/** `decorate` adds to each connector what all of them have in common. */
export function createConnectorRegistry(
  decorate: (connector: RegisteredConnector) => RegisteredConnector = (connector) => connector,
): ConnectorRegistry {
  const connectors = new Map<string, RegisteredConnector>();
  const ofRows = createRowOperationCache();
  const marked = createMarkedOperationCache();
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
    async loadOperations(db, row) {
      if (row.operationsId !== null) return await ofRows.load(db, row.id, row.operationsId);
      const connector = connectors.get(row.connectorKey);
      if (connector === undefined || !hasMarkable(connector)) {
        return connector?.operations ?? noOperations;
      }
      return markOperations(connector, row, await listRowOperations(db, row.id));
    },
    loadMarked: (db, rows) => marked.loadAll(db, rows, (key) => connectors.get(key) ?? null),
    keepOperations(rowIds) {
      ofRows.keepOnly(rowIds);
      marked.keepOnly(rowIds);
    },
    generation: () => generation,
  };
}
