import { createHash } from "node:crypto";
import { type OperationSpec, toInputSchema } from "@hub/connector";
import type { StoredDefinition, StoredOperation } from "../../store/rows/row-operations-table.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import type { Operation, RegisteredConnector } from "../connector-port.ts";
import { toPlainTexts } from "../rows/to-plain-texts.ts";
import { isSame } from "./compare-discovery.ts";
import type { Operations } from "./row-operation-cache.ts";

/** Whether admins say of some of a connector's operations that they only read. */
export function hasMarkable({ operations }: Pick<RegisteredConnector, "operations">): boolean {
  for (const { isMarkable } of operations.values()) if (isMarkable) return true;
  return false;
}

/** The operations of a connector with the marks of a row that are for them as they are now. */
export function markOperations(
  connector: RegisteredConnector,
  row: Pick<RowRecord, "values">,
  stored: readonly StoredOperation[],
): Operations {
  const marked = findMarked(connector, row, stored);
  if (marked.size === 0) return connector.operations;
  return new Map(
    [...connector.operations].map(([key, operation]) => [
      key,
      marked.has(key) ? { ...operation, reads: true as const } : operation,
    ]),
  );
}

/** The operations of a connector that are marked in a row. The other stored marks are lost: what they are for has changed. */
export function findMarked(
  connector: RegisteredConnector,
  row: Pick<RowRecord, "values">,
  stored: readonly StoredOperation[],
): Map<string, StoredOperation> {
  const markedFor = toMarkedFor(connector, row);
  const marked = stored.filter((mark) =>
    isStillMarked(connector.operations.get(mark.key), mark, markedFor),
  );
  return new Map(marked.map((mark) => [mark.key, mark]));
}

/** What calls of a row are sent to, as far as its marks depend on it. */
export function toMarkedFor(
  connector: RegisteredConnector,
  row: Pick<RowRecord, "values">,
): string {
  return connector.markedFor?.(toPlainTexts(row)) ?? "";
}

/** Whether a stored mark is for this operation as its connector defines it now. */
function isStillMarked(
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

const digests = new WeakMap<Operations, string>();

/** Everything that a mark of an operation of this connector is for, but the row. */
function digestDefinitions({ operations }: Pick<RegisteredConnector, "operations">): string {
  const known = digests.get(operations);
  if (known !== undefined) return known;
  const definitions = [...operations.values()].map((one) => [one.key, toMarkedDefinition(one, "")]);
  const digest = toDigest(definitions);
  digests.set(operations, digest);
  return digest;
}

const toDigest = (value: unknown) =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex");

/**
 * The stamp of a row's operations as they are now: of its own, or of those of its connector with the marks of the row. Null if nothing
 * of them is marked by admins.
 */
export function toOperationsStamp(
  connector: RegisteredConnector | null,
  row: Pick<RowRecord, "operationsId" | "values">,
  operations: Operations,
): string | null {
  if (row.operationsId !== null) return row.operationsId;
  if (connector === null || !hasMarkable(connector)) return null;
  const marked = [...operations.values()].flatMap(({ key, reads }) => (reads ? [key] : []));
  return toDigest([digestDefinitions(connector), toMarkedFor(connector, row), marked]);
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
