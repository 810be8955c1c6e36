import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** Characters of a request that are read for a line in a list. */
const requestCharsRead = 1_000;
/** Longer bindings are left out: a page has hundreds of them at most. */
const bindingCharsMax = 16_384;

/** The beginning of what these runs sent, by id. Runs whose request was not stored are left out. */
export async function readRequestStarts(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const found = await toKysely(db)
    .selectFrom("connector_runs")
    .select("id")
    .select(sql<string>`substr(request, 1, ${requestCharsRead})`.as("start"))
    .where("id", "in", ids)
    .where("request", "is not", null)
    .execute();
  return new Map(found.map(({ id, start }) => [id, start]));
}

/** How rows call operations that they brought: the JSON text of each binding, by `row/operation`. */
export async function readBindings(
  db: Db,
  called: ReadonlyArray<{ row: string; operation: string }>,
): Promise<ReadonlyMap<string, string>> {
  if (called.length === 0) return new Map();
  // Pairs, because all these operations of all these rows are many times more.
  const pairs = new Map(called.map((one) => [`${one.row}/${one.operation}`, one]));
  const wanted = [...pairs.values()].map((one) => sql`(${one.row}, ${one.operation})`);
  const found = await toKysely(db)
    .selectFrom("row_operations")
    .select(["row_id", "operation_key", "binding"])
    .where(sql<boolean>`(row_id, operation_key) in (values ${sql.join(wanted)})`)
    .where(sql<boolean>`length(binding) <= ${bindingCharsMax}`)
    .execute();
  return new Map(found.map((one) => [`${one.row_id}/${one.operation_key}`, one.binding]));
}

/** The names of the applications that hold these grants, by id. Ids of other tokens are left out. */
export async function readGrantNames(
  db: Db,
  tokenIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (tokenIds.length === 0) return new Map();
  const found = await toKysely(db)
    .selectFrom("oauth_grants")
    .select(["id", "client_name"])
    .where("id", "in", [...new Set(tokenIds)])
    .execute();
  return new Map(found.map(({ id, client_name }) => [id, client_name]));
}
