import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** Runs one statement that no function of `store/` has, with `?` for each parameter. */
export async function runSql<Row = Record<string, unknown>>(
  db: Db,
  text: string,
  ...parameters: unknown[]
): Promise<Row[]> {
  const parts = text.split("?");
  // Each kind of database has its own placeholders.
  const statement = sql<Row>(Object.assign(parts, { raw: parts }), ...parameters);
  return (await statement.execute(toKysely(db))).rows;
}
