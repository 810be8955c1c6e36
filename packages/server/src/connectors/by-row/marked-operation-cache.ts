import type { Db } from "../../store/database/database.ts";
import { listStoredMarks } from "../../store/rows/reading-operations.ts";
import type { StoredOperation } from "../../store/rows/row-operations-table.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import type { RegisteredConnector } from "../connector-port.ts";
import { hasMarkable, markOperations } from "./marked-operations.ts";
import type { Operations } from "./row-operation-cache.ts";

type MarkedRow = Pick<RowRecord, "id" | "connectorKey" | "version" | "values">;
type FindConnector = (key: string) => RegisteredConnector | null;

/** The operations of connectors as admins have marked them, by row. */
export type MarkedOperationCache = {
  /** Only of rows whose connectors leave marks to admins. `version` changes with each change of a row. */
  loadAll(
    db: Db,
    rows: readonly MarkedRow[],
    find: FindConnector,
  ): Promise<ReadonlyMap<string, Operations>>;
  keepOnly(rowIds: ReadonlySet<string>): void;
};

type Kept = {
  version: number;
  stored: readonly StoredOperation[];
  /** Those of the connector, of which `operations` were made. */
  own: Operations;
  operations: Operations;
};

/**
 * Keeps them until the row or its connector changes. It is for committed rows alone: two plans of a change may have the same
 * version.
 */
export function createMarkedOperationCache(): MarkedOperationCache {
  const kept = new Map<string, Kept>();
  return {
    async loadAll(db, rows, find) {
      const findKept = ({ id, version }: MarkedRow) => {
        const known = kept.get(id);
        return known?.version === version ? known : undefined;
      };
      const markable = rows.flatMap((row) => {
        const connector = find(row.connectorKey);
        if (connector === null || !hasMarkable(connector)) return [];
        return [{ row, connector, before: findKept(row) }];
      });
      const unread = markable.flatMap(({ row, before }) => (before === undefined ? [row.id] : []));
      const read = await listStoredMarks(db, unread);
      const loaded = new Map<string, Operations>();
      for (const { row, connector, before } of markable) {
        const own = connector.operations;
        // Another load may have kept or dropped them meanwhile. The search knows operations by their objects, so there is one for each.
        const known = findKept(row) ?? before;
        const stored = known?.stored ?? read.get(row.id) ?? [];
        const isKept = known !== undefined && known.own === own;
        const operations = isKept ? known.operations : markOperations(connector, row, stored);
        kept.set(row.id, { version: row.version, stored, own, operations });
        loaded.set(row.id, operations);
      }
      return loaded;
    },
    keepOnly(rowIds) {
      for (const id of kept.keys()) if (!rowIds.has(id)) kept.delete(id);
    },
  };
}
