import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { matchesRow } from "../rows/row-parts.ts";
import { contains } from "./contains.ts";

/** Every word is in one of the texts. ASCII letters match in both cases. */
export type TextSearch = { words: readonly string[]; limit: number };

/** Rows with the words in their label or the key of their connector, by label. */
export async function searchRows(
  db: Db,
  { words, limit, taggedAmong }: TextSearch & { taggedAmong: readonly string[] | undefined },
): Promise<Array<{ id: string; label: string; connectorKey: string }>> {
  return await toKysely(db)
    .selectFrom("connector_rows")
    .select(["id", "label", "connector_key as connectorKey"])
    .where((row) => matchesRow(row, { taggedAmong }))
    .where(({ and }) => and(words.map((word) => contains(["label", "connector_key"], word))))
    .orderBy("label")
    .orderBy("id")
    .limit(limit)
    .execute();
}

/** The keys of the connectors of these rows, by row. */
export async function findConnectorKeys(
  db: Db,
  rowIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (rowIds.length === 0) return new Map();
  const rows = await toKysely(db)
    .selectFrom("connector_rows")
    .select(["id", "connector_key"])
    .where("id", "in", rowIds)
    .execute();
  return new Map(rows.map(({ id, connector_key }) => [id, connector_key]));
}

/** Users with the words in their e-mail or name, by e-mail. */
export async function searchUsers(
  db: Db,
  { words, limit }: TextSearch,
): Promise<Array<{ id: string; email: string; name: string }>> {
  return await toKysely(db)
    .selectFrom("users")
    .select(["id", "email", "name"])
    .where(({ and }) => and(words.map((word) => contains(["email", "name"], word))))
    .orderBy("email")
    .limit(limit)
    .execute();
}

/** Tags with the words in their name, by name. */
export async function searchTags(
  db: Db,
  { words, limit }: TextSearch,
): Promise<Array<{ name: string }>> {
  return await toKysely(db)
    .selectFrom("tags")
    .select("name")
    .where(({ and }) => and(words.map((word) => contains(["name"], word))))
    .orderBy("name")
    .limit(limit)
    .execute();
}
