import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** A question about a recorded call, with the rule that asked it. */
export type AskedRule = {
  pendingId: string;
  state: string;
  ruleId: string | null;
  ruleRevision: number | null;
};

/** The question that a recorded call has ended in, or that became this call. */
export async function findAskedRule(db: Db, runId: string): Promise<AskedRule | null> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select(["id as pendingId", "state", "rule_id as ruleId", "rule_revision as ruleRevision"])
    .where((call) => call.or([call("asked_run_id", "=", runId), call("run_id", "=", runId)]))
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}
