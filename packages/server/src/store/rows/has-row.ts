import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { matchesRow } from "./row-parts.ts";

/** Whether there is a row of another connector than these, with one of these tags; without tags, any. */
export async function hasRowBesides(
  db: Db,
  {
    connectors,
    taggedAmong,
  }: { connectors: readonly string[]; taggedAmong: readonly string[] | undefined },
): Promise<boolean> {
  const found = await toKysely(db)
    .selectFrom("connector_rows")
    .select("id")
    .where("connector_key", "not in", connectors)
    .where((row) => matchesRow(row, { taggedAmong }))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
