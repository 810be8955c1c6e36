import { type OperationSpec, toInputSchema } from "@hub/connector";
import type { Db } from "../../store/database/database.ts";
import {
  listRowOperations,
  type StoredDefinition,
  type StoredOperation,
} from "../../store/rows/row-operations-table.ts";
import type { Operation, RegisteredConnector } from "../connector-port.ts";
import { isSame } from "./compare-discovery.ts";
import type { Operations } from "./row-operation-cache.ts";

/** The row of a mark: its id, and what calls of it are sent to. */
export type MarkedRow = { id: string; operationsId: string; texts: ReadonlyMap<string, string> };

/** The operations of a connector as an admin has marked them in a row. */
export type MarkedOperationCache = {
  load(db: Db, row: MarkedRow, connector: RegisteredConnector): Promise<Operations>;
  keepOnly(rowIds: ReadonlySet<string>): void;
};

type Kept = {
  operationsId: string;
  stored: readonly StoredOperation[];
  markedFor: string;
  /** Those of the connector, of which `operations` were made. */
  own: Operations;
  operations: Operations;
};

/** Keeps them until the marks, the connector or what calls are sent to change. */
export function createMarkedOperationCache(): MarkedOperationCache {
  const kept = new Map<string, Kept>();
  return {
    async load(db, { id, operationsId, texts }, connector) {
      const before = kept.get(id);
      const isRead = before?.operationsId === operationsId;
      const stored = isRead ? before.stored : await listRowOperations(db, id);
      const known = kept.get(id);
      const own = connector.operations;
      const markedFor = connector.markedFor?.(texts) ?? "";
      const isKnown = known?.operationsId === operationsId && known.markedFor === markedFor;
      if (isKnown && known.own === own) return known.operations;
      const operations = markOperations(own, stored, markedFor);
      kept.set(id, { operationsId, stored, markedFor, own, operations });
      return operations;
    },
    keepOnly(rowIds) {
      for (const id of kept.keys()) if (!rowIds.has(id)) kept.delete(id);
    },
  };
}

/** The operations with the marks that are for them as they are now. */
function markOperations(
  own: Operations,
  stored: readonly StoredOperation[],
  markedFor: string,
): Operations {
  const marks = stored.filter((mark) => isStillMarked(own.get(mark.key), mark, markedFor));
  if (marks.length === 0) return own;
  const marked = new Set(marks.map(({ key }) => key));
  return new Map(
    [...own].map(([key, operation]) => [
      key,
      marked.has(key) ? { ...operation, reads: true as const } : operation,
    ]),
  );
}

/** Whether a stored mark is for this operation as its connector defines it now. */
export function isStillMarked(
  operation: Operation | undefined,
  { definition, reads }: StoredOperation,
  markedFor: string,
): boolean {
  if (reads !== true || operation?.isMarkable !== true) return false;
  return isSame(definition, toMarkedDefinition(operation, markedFor));
}

/** What a mark is for. In place of a binding it has what calls are sent to, because the connector makes them. */
export function toMarkedDefinition(operation: OperationSpec, markedFor: string): StoredDefinition {
  const { name, description, destructive, idempotent = false, outputSchema } = operation;
  return {
    name,
    description,
    destructive,
    idempotent,
    inputSchema: JSON.stringify(toInputSchema(operation.inputFields)),
    outputSchema: outputSchema === undefined ? null : JSON.stringify(outputSchema),
    binding: JSON.stringify(markedFor),
  };
}

/**
 * The operations with what admins may say of them: of those that are not destructive and that clients are offered, whether they only
 * read. What their author says of it is left out.
 */
export function toMarkable(operations: Operations): Operations {
  return new Map(
    [...operations].map(([key, { reads: _, ...operation }]) => {
      const isMarkable = !(operation.destructive || operation.configOnly || operation.adminOnly);
      return [key, { ...operation, ...(isMarkable && { isMarkable: true as const }) }];
    }),
  );
}
