import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { toIdMs } from "../database/timed-ids.ts";

/** Calls in one look, which blocks the event loop for some milliseconds. */
const scannedAtOnce = 2_000;
/** Only the oldest calls are looked at. */
const scannedMax = 20_000;

/**
 * When the oldest recorded call of an operation began that a client made and that succeeded, of one user or of all; epoch ms.
 * Null if the oldest calls have none.
 */
export async function findFirstClientCall(
  db: Db,
  { userId }: { userId?: string | undefined },
): Promise<number | null> {
  let after = "";
  for (let scanned = 0; scanned < scannedMax; scanned += scannedAtOnce) {
    const calls = await toKysely(db)
      .selectFrom("connector_runs")
      .select(["id", "connector_id", "source", "status"])
      .where("id", ">", after)
      .$if(userId !== undefined, (query) => query.where("user_id", "=", userId ?? ""))
      .orderBy("id")
      .limit(scannedAtOnce)
      .execute();
    const first = calls.find(
      ({ connector_id: row, source, status }) =>
        row !== null && source === "mcp" && status === "success",
    );
    if (first !== undefined) return toIdMs(first.id);
    if (calls.length < scannedAtOnce) return null;
    after = calls.at(-1)?.id ?? "";
    // Lets other requests run between two looks.
    await Bun.sleep(0);
  }
  return null;
}
