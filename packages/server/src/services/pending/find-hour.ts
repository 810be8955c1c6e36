import { toCallRule } from "../../connectors/rows/rule-index.ts";
import { permitsHour } from "../../operations/rules/judge-call.ts";
import type { Db } from "../../store/database/database.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { findRule } from "../../store/rules/call-rules-table.ts";

/** What the rule that asked is, if it is still the same. */
export async function findAskingRule(
  db: Db,
  { ruleId, ruleRevision }: Pick<PendingCall, "ruleId" | "ruleRevision">,
) {
  const record = ruleId === null ? null : await findRule(db, ruleId);
  return record !== null && record.revision === ruleRevision ? toCallRule(record) : null;
}

/** The params that stay in a permission for an hour. Null if the rule allows none for this call. */
export async function findHour(
  db: Db,
  call: Pick<PendingCall, "ruleId" | "ruleRevision" | "shown">,
): Promise<{ fixed: readonly string[] } | null> {
  const rule = await findAskingRule(db, call);
  if (rule === null || !permitsHour(rule.hour, { destructive: call.shown.isDestructive })) {
    return null;
  }
  return { fixed: rule.hour.fixed };
}
