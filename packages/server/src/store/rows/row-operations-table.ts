import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { toFlag } from "../database/tables/flag.ts";
import type { Tables } from "../database/tables.ts";
import { touchRow } from "./rows-table.ts";

/** What an outside system says of an operation, cleaned. Schemas and `binding` are JSON texts. */
export type StoredDefinition = {
  name: string;
  description: string;
  destructive: boolean;
  idempotent: boolean;
  inputSchema: string;
  outputSchema: string | null;
  binding: string;
  /** Why the outside system's present description cannot be used. Then this is the one before. */
  fault?: string;
};

/** An operation that a row brought. */
export type StoredOperation = {
  key: string;
  /** The name in the outside system. */
  sourceName: string;
  /** What calls use: the approved definition, or the found one if none was ever approved. */
  definition: StoredDefinition;
  /** Null until an admin has approved it. */
  approvedAt: number | null;
  /** The present definition, if it differs from the approved one. */
  pending: StoredDefinition | null;
  /** Null while the outside system offers it. */
  goneAt: number | null;
  /** An admin has marked the approved definition as one that only reads. */
  reads?: true;
};

/** In the order of the outside system. */
export async function listRowOperations(db: Db, rowId: string): Promise<StoredOperation[]> {
  const rows = await toKysely(db)
    .selectFrom("row_operations")
    .select(tableColumns.row_operations)
    .where("row_id", "=", rowId)
    .orderBy("position")
    .execute();
  return rows.map(toStoredOperation);
}

/** Several rows in one statement; SQLite has a limit on the number of values. */
const rowsPerStatement = 100;

type Replacement = {
  /** A new random id; null if the row's connector defines the operations, and only marks of them are stored. */
  operationsId: string | null;
  /** What the transaction has read. */
  before: readonly StoredOperation[];
  operations: readonly StoredOperation[];
};

/**
 * Replaces the operations of a row: writes those that differ from the ones before, and deletes those that
 * are missing. False if the row does not exist.
 */
export async function replaceRowOperations(
  trx: Transaction,
  rowId: string,
  { operationsId, before, operations }: Replacement,
  at: number,
): Promise<boolean> {
  if (!(await touchRow(trx, rowId, at))) return false;
  const db = toKysely(trx);
  if (operationsId !== null) {
    await db
      .updateTable("connector_rows")
      .set({ operations_id: operationsId })
      .where("id", "=", rowId)
      .execute();
  }
  const places = new Map(before.map((operation, position) => [operation.key, position]));
  const changed = operations.flatMap((operation, position) => {
    const place = places.get(operation.key);
    places.delete(operation.key);
    const isSame = place === position && Bun.deepEquals(operation, before[place]);
    return isSame ? [] : [toTableRow(rowId, operation, position)];
  });
  const removed = [...places.keys()];
  for (let start = 0; start < removed.length; start += rowsPerStatement) {
    await db
      .deleteFrom("row_operations")
      .where("row_id", "=", rowId)
      .where("operation_key", "in", removed.slice(start, start + rowsPerStatement))
      .execute();
  }
  for (let start = 0; start < changed.length; start += rowsPerStatement) {
    // Thousands of operations take a hundred milliseconds. Other writers wait, and all else goes on.
    if (start > 0) await yieldToEventLoop();
    await db
      .insertInto("row_operations")
      .values(changed.slice(start, start + rowsPerStatement))
      .onConflict((conflict) =>
        conflict
          .columns(["row_id", "operation_key"])
          .doUpdateSet((eb) =>
            Object.fromEntries(storedColumns.map((name) => [name, eb.ref(`excluded.${name}`)])),
          ),
      )
      .execute();
  }
  return true;
}

/** All but the key. */
const storedColumns = [
  "position",
  "source_name",
  "name",
  "description",
  "destructive",
  "idempotent",
  "input_schema",
  "output_schema",
  "binding",
  "approved_at",
  "pending",
  "gone_at",
  "reads_approved_at",
] as const satisfies ReadonlyArray<keyof Tables["row_operations"]>;

function toTableRow(
  rowId: string,
  { key, sourceName, definition, approvedAt, pending, goneAt, reads }: StoredOperation,
  position: number,
): Tables["row_operations"] {
  return {
    row_id: rowId,
    operation_key: key,
    position,
    source_name: sourceName,
    name: definition.name,
    description: definition.description,
    destructive: toFlag(definition.destructive),
    idempotent: toFlag(definition.idempotent),
    input_schema: definition.inputSchema,
    output_schema: definition.outputSchema,
    binding: definition.binding,
    approved_at: approvedAt,
    pending: pending === null ? null : JSON.stringify(pending),
    gone_at: goneAt,
    // For this approval alone, also if a server of the version before approves a change.
    reads_approved_at: reads === true ? approvedAt : null,
  };
}

export function toStoredOperation(row: Tables["row_operations"]): StoredOperation {
  const isMarked = row.reads_approved_at !== null && row.reads_approved_at === row.approved_at;
  return {
    key: row.operation_key,
    sourceName: row.source_name,
    definition: {
      name: row.name,
      description: row.description,
      destructive: row.destructive === 1,
      idempotent: row.idempotent === 1,
      inputSchema: row.input_schema,
      outputSchema: row.output_schema,
      binding: row.binding,
    },
    approvedAt: row.approved_at,
    // Written by `toTableRow`.
    pending: row.pending === null ? null : (JSON.parse(row.pending) as StoredDefinition),
    goneAt: row.gone_at,
    ...(isMarked && row.pending === null && { reads: true }),
  };
}
