import { CompiledQuery } from "kysely";
import type { Db } from "../database.ts";
import { toKysely } from "../kysely.ts";

/** Runs one statement that no function of `store/` has, with `?` for each parameter. */
export async function runSql<Row = Record<string, unknown>>(
  db: Db,
  text: string,
  ...parameters: unknown[]
): Promise<Row[]> {
  const { rows } = await toKysely(db).executeQuery<Row>(CompiledQuery.raw(text, parameters));
  return rows;
}
