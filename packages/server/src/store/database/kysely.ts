import type { Kysely, RawBuilder } from "kysely";
import { type Connected, connectionKey } from "./connection.ts";
import type { Tables } from "./tables.ts";

/** Builds and runs the statements of `store/`. */
export function toKysely(db: Connected): Kysely<Tables> {
  return db[connectionKey].kysely;
}

/** The database's time in a statement, in epoch ms. */
export function toClock(db: Connected): RawBuilder<number> {
  return db[connectionKey].clock;
}

/** Runs reads that must be consistent with each other. They block no writer. */
export function inSnapshot<T>(
  db: Connected,
  read: (kysely: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  const { kysely, isTransaction } = db[connectionKey];
  if (isTransaction) return read(kysely);
  return kysely
    .transaction()
    .setIsolationLevel("repeatable read")
    .setAccessMode("read only")
    .execute(read);
}
