import { toStorableText } from "../database/storable-text.ts";

/**
 * A parameter as PostgreSQL accepts it. Clients can send U+0000, which it does not store in text, and
 * halves of surrogate pairs, which it refuses in JSON.
 */
export function toParameter(value: unknown): unknown {
  return typeof value === "string" ? toStorableText(value) : value;
}

/** A row with numbers for 64-bit integers. The hub stores none beyond 2^53. */
export function toRow<R>(row: Record<string, unknown>): R {
  for (const key in row) {
    const value = row[key];
    if (typeof value === "bigint") row[key] = Number(value);
  }
  // The caller names the columns of its own statement.
  return row as R;
}
