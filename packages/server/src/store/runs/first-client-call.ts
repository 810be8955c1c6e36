import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { toIdMs } from "../database/timed-ids.ts";
import { matchesRow } from "../rows/row-parts.ts";

/** Calls in one look, which blocks the event loop for some milliseconds. */
const scannedAtOnce = 2_000;
/** Only the oldest calls are looked at. */
const scannedMax = 20_000;

/**
 * When the oldest recorded call of an operation began that a client made and that succeeded, of all users, or of one and of
 * rows with one of these tags; epoch ms. Null if the oldest calls have none.
 */
export async function findFirstClientCall(
  db: Db,
  of: { userId: string; taggedAmong: readonly string[] } | "all",
): Promise<number | null> {
  let after = "";
  for (let scanned = 0; scanned < scannedMax; scanned += scannedAtOnce) {
    const calls = await toKysely(db)
      .selectFrom("connector_runs")
      .select(["id", "connector_id", "source", "status"])
      .where("id", ">", after)
      .$if(of !== "all", (query) => query.where("user_id", "=", of === "all" ? "" : of.userId))
      .orderBy("id")
      .limit(scannedAtOnce)
      .execute();
    const worked = calls.flatMap(({ id, connector_id: row, source, status }) =>
      row !== null && source === "mcp" && status === "success" ? [{ id, row }] : [],
    );
    const shown = of === "all" ? null : await findTagged(db, worked, of.taggedAmong);
    const first = worked.find(({ row }) => shown?.has(row) ?? true);
    if (first !== undefined) return toIdMs(first.id);
    if (calls.length < scannedAtOnce) return null;
    after = calls.at(-1)?.id ?? "";
    // Lets other requests run between two looks.
    await Bun.sleep(0);
  }
  return null;
}

async function findTagged(
  db: Db,
  calls: ReadonlyArray<{ row: string }>,
  taggedAmong: readonly string[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(calls.map(({ row }) => row))];
  const rows = await toKysely(db)
    .selectFrom("connector_rows")
    .select("id")
    .where((row) => matchesRow(row, { ids, taggedAmong }))
    .execute();
  return new Set(rows.map(({ id }) => id));
}
