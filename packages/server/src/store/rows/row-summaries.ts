import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { matchesRow, type RowFilter } from "./row-parts.ts";

/** The number of the rows that match, and the first ones by label. */
export async function sampleRows(
  db: Db,
  filter: RowFilter,
  limit: number,
): Promise<{ total: number; rows: Array<{ id: string; label: string }> }> {
  const found = toKysely(db)
    .selectFrom("connector_rows")
    .where((row) => matchesRow(row, filter));
  const { total } = await found
    .select((row) => row.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const rows = await found
    .select(["id", "label"])
    .orderBy("label")
    .orderBy("id")
    .limit(limit)
    .execute();
  return { total: Number(total), rows };
}

/** The tags of the rows of each connector, in alphabetical order, by its key. */
export async function listTagsByConnector(db: Db): Promise<ReadonlyMap<string, string[]>> {
  const found = await toKysely(db)
    .selectFrom("connector_rows")
    .innerJoin("row_tags", "row_tags.row_id", "connector_rows.id")
    .innerJoin("tags", "tags.id", "row_tags.tag_id")
    .select(["connector_key", "tags.name"])
    .distinct()
    .orderBy("tags.name")
    .execute();
  const tags = new Map<string, string[]>();
  for (const { connector_key: key, name } of found) {
    const known = tags.get(key);
    if (known === undefined) tags.set(key, [name]);
    else known.push(name);
  }
  return tags;
}
