import { parseJson } from "@hub/connector";
import type {
  OperationDefinition,
  ReviewedOperation,
  RowDiscovery,
} from "@hub/contract/row-discovery.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { findReview } from "../../../connectors/by-row/row-operation.ts";
import { toToolId } from "../../../operations/catalogue/tool-id.ts";
import type { Db } from "../../../store/database/database.ts";
import {
  countLeftOut,
  findRowDiscovery,
  type LeftOutOperation,
} from "../../../store/rows/row-discoveries-table.ts";
import {
  listRowOperations,
  type StoredDefinition,
  type StoredOperation,
} from "../../../store/rows/row-operations-table.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { findWarnings } from "./find-warnings.ts";
import { isHidden } from "./is-hidden.ts";

/** The state names this many that are left out; `listLeftOut` pages through all. */
const leftOutShownMax = 100;

/** What an admin is asked to approve: the present definition. */
export function toPresent({ pending, definition }: StoredOperation): StoredDefinition {
  return pending ?? definition;
}

/** Identifies a definition by its content. */
export function toDigest(definition: StoredDefinition): string {
  const parts = [
    definition.name,
    definition.description,
    definition.destructive,
    definition.idempotent,
    definition.inputSchema,
    definition.outputSchema,
    definition.binding,
  ];
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);
}

/** Null for an operation that waits for nothing. */
export function toReviewed(rowId: string, operation: StoredOperation): ReviewedOperation | null {
  const review = findReview(operation);
  if (review === null) return null;
  const present = toPresent(operation);
  return {
    key: operation.key,
    tool_id: toToolId(rowId, operation.key),
    source_name: operation.sourceName,
    review,
    digest: toDigest(present),
    definition: toDefinition(present),
    approved: operation.approvedAt === null ? null : toDefinition(operation.definition),
    warnings: present.fault === undefined ? findWarnings(present) : [toFaultWarning(present.fault)],
  };
}

function toFaultWarning(fault: string): string {
  return `The outside system now describes it in a way that the hub cannot use: ${fault} Until that changes, it cannot be called or approved.`;
}

function toDefinition(definition: StoredDefinition): OperationDefinition {
  const { name, description, destructive, idempotent } = definition;
  const binding = parseJson(definition.binding);
  return {
    name,
    description,
    destructive,
    idempotent,
    input_schema: parseJson(definition.inputSchema),
    ...(definition.outputSchema !== null && { output_schema: parseJson(definition.outputSchema) }),
    ...(binding !== null && { binding }),
  };
}

/** The state of a row's operations, in a transaction with the changes made there. */
export async function readDiscovery(
  db: Db,
  row: Pick<RowRecord, "id" | "operationsId" | "operationStates">,
  operations?: readonly StoredOperation[],
): Promise<RowDiscovery> {
  const stored = operations ?? (await listRowOperations(db, row.id));
  const last = await findRowDiscovery(db, row.id);
  return {
    row_id: row.id,
    tried_at: last === null ? null : toTimeText(last.triedAt),
    discovered_at: last?.discoveredAt == null ? null : toTimeText(last.discoveredAt),
    failure: last?.failure ?? null,
    stamp: row.operationsId,
    operations: stored.filter(({ goneAt }) => goneAt === null).length,
    waiting: stored.filter((one) => isWaiting(one) && !isHidden(row, one)).length,
    left_out: (last?.leftOut ?? []).slice(0, leftOutShownMax).map(toLeftOut),
    left_out_total: countLeftOut(last?.leftOut ?? []),
  };
}

export function toLeftOut({
  sourceName,
  reason,
}: LeftOutOperation): RowDiscovery["left_out"][number] {
  return { source_name: sourceName, reason };
}

export function isWaiting(operation: StoredOperation): boolean {
  const review = findReview(operation);
  return review === "new" || review === "changed";
}
