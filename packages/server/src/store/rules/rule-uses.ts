import { HubError } from "../../errors.ts";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** One free call of a user under a rule, in one hour of the clock. */
export type RuleUse = {
  ruleId: string;
  /** The revision that was judged: a changed rule counts no free call of the former one. */
  revision: number;
  userId: string;
  /** Epoch ms of the beginning of the hour. */
  windowStart: number;
  /** So many are free in this hour. */
  max: number;
};

/** How many free calls of an hour a user has made under a rule. */
export async function countRuleUses(
  db: Db,
  { ruleId, userId, windowStart }: Pick<RuleUse, "ruleId" | "userId" | "windowStart">,
): Promise<number> {
  const found = await toKysely(db)
    .selectFrom("call_rule_uses")
    .select("uses")
    .where("rule_id", "=", ruleId)
    .where("user_id", "=", userId)
    .where("window_start", ">=", windowStart)
    .executeTakeFirst();
  return found?.uses ?? 0;
}

/**
 * Counts one free call if the hour has one left, and only under the judged revision of the rule. It changes one row, or none: then
 * see `refuseUse`. A server whose clock is behind counts in the hour that others have begun.
 */
export function toUseStatement(marks: Record<keyof RuleUse, string>): string {
  const { ruleId, revision, userId, windowStart, max } = marks;
  return `
    insert into call_rule_uses (rule_id, user_id, window_start, uses)
    select id, ${userId}, ${windowStart}, 1 from call_rules where id = ${ruleId} and revision = ${revision}
    on conflict (rule_id, user_id) do update set
      uses = case when call_rule_uses.window_start < excluded.window_start
        then 1 else call_rule_uses.uses + 1 end,
      window_start = case when call_rule_uses.window_start < excluded.window_start
        then excluded.window_start else call_rule_uses.window_start end
    where call_rule_uses.window_start < excluded.window_start or call_rule_uses.uses < ${max}`;
}

/** For the few calls that had a free one when they were judged, and lost it to others. */
export function refuseUse(): HubError {
  return new HubError(
    "approval_required",
    "Other calls have used the last free call of this hour, or the rule has changed. Nothing has run. Call again, and a person is asked if that is needed.",
    { detail: { retry_after_s: 0, run_by_repeat: true } },
  );
}
