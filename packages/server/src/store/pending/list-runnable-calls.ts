import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { type PendingCall, toPendingCall } from "./pending-call-record.ts";

/** The approved calls that run without a repeat: the rule says so, or a task waits for them. Oldest approval first. */
export async function listRunnableCalls(
  db: Db,
  { at, limit }: { at: number; limit: number },
): Promise<PendingCall[]> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select(tableColumns.pending_calls)
    // A literal, because SQLite uses no partial index for parameters.
    .where(sql<boolean>`state = 'approved'`)
    .where("approved_until", ">", at)
    .where((one) => one.or([one("runs_by_itself", "=", 1), one("task", ">", 0)]))
    .orderBy("decided_at")
    .limit(limit)
    .execute();
  return found.map(toPendingCall);
}
