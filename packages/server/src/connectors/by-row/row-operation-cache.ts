import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { Db } from "../../store/database/database.ts";
import { listRowOperations } from "../../store/rows/row-operations-table.ts";
import type { Operation } from "../connector-port.ts";
import { toOperations } from "./row-operation.ts";

/** By key. */
export type Operations = ReadonlyMap<string, Operation>;

/** The operations that rows brought, by row. */
export type RowOperationCache = {
  /** `operationsId` changes with each change of the row's operations. */
  load(db: Db, rowId: string, operationsId: string): Promise<Operations>;
  keepOnly(rowIds: ReadonlySet<string>): void;
};

/** Keeps them until they change, so that a change of another row does not read them again. */
export function createRowOperationCache(): RowOperationCache {
  const kept = new Map<string, { operationsId: string; operations: Operations }>();
  return {
    async load(db, rowId, operationsId) {
      const known = kept.get(rowId);
      if (known?.operationsId === operationsId) return known.operations;
      const stored = await listRowOperations(db, rowId);
      const operations = await toOperations(stored, yieldToEventLoop);
      // Another load was faster. The search knows operations by their objects, so there is one for each.
      const present = kept.get(rowId);
      if (present?.operationsId === operationsId) return present.operations;
      kept.set(rowId, { operationsId, operations });
      return operations;
    },
    keepOnly(rowIds) {
      for (const id of kept.keys()) if (!rowIds.has(id)) kept.delete(id);
    },
  };
}
