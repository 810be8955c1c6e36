import type { Db } from "../../store/database/database.ts";
import { countRuleUses, type RuleUse } from "../../store/rules/rule-uses.ts";

/**
 * Whether a user still has free calls in this hour. The answer may be late: the statement that counts the call, in the
 * commit of its `running` record, decides.
 */
export async function hasFreeCall(db: Db, use: RuleUse): Promise<boolean> {
  return (await countRuleUses(db, use)) < use.max;
}
