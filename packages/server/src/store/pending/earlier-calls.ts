import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { RunStatus } from "../database/tables/run-tables.ts";

export type EarlierCall = { startedAt: number; status: RunStatus; errorCode: string | null };

/** Runs of the user that one look reads: old ones say little, and a user may have millions. */
const scannedMax = 1_000;

/** The last calls of a user of an operation, newest first. Run ids are in the order of time. */
export async function listEarlierCalls(
  db: Db,
  call: { userId: string; rowId: string; operationKey: string; before: string | null },
  limit: number,
): Promise<EarlierCall[]> {
  const { userId, rowId, operationKey, before } = call;
  let runs = toKysely(db)
    .selectFrom("connector_runs")
    .select(["id", "connector_id", "operation_key", "started_at", "status", "error_code"])
    .where("user_id", "=", userId)
    .orderBy("id", "desc")
    .limit(scannedMax);
  if (before !== null) runs = runs.where("id", "<", before);
  const found = await toKysely(db)
    .selectFrom(runs.as("runs"))
    .select(["started_at as startedAt", "status", "error_code as errorCode"])
    .where("connector_id", "=", rowId)
    .where("operation_key", "=", operationKey)
    .orderBy("id", "desc")
    .limit(limit)
    .execute();
  return found;
}
