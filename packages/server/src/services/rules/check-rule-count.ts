import { HubError } from "../../errors.ts";
import type { Transaction } from "../../store/database/database.ts";
import { countRules } from "../../store/rules/call-rules-table.ts";

/** Every server holds all rules in memory, and reads them again after each change of the configuration. */
const rulesMax = 5_000;

/** Throws `conflict` if the hub cannot have so many more rules. */
export async function checkRuleCount(trx: Transaction, added: number): Promise<void> {
  if ((await countRules(trx)) + added <= rulesMax) return;
  throw new HubError(
    "conflict",
    `A hub has at most ${rulesMax} rules. Set one for a whole row in the place of those of its operations.`,
  );
}
