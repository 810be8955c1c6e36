import type { Transaction } from "../../store/database/database.ts";
import { listRowRules, putRule } from "../../store/rules/call-rules-table.ts";
import { checkRuleCount } from "./check-rule-count.ts";

/** Gives a copy of a row the switches of the row: otherwise a copy would be a way around them. */
export async function copyRules(
  trx: Transaction,
  { id: from }: { id: string },
  to: string,
): Promise<void> {
  const rules = await listRowRules(trx, from);
  if (rules.length > 0) await checkRuleCount(trx, rules.length);
  for (const record of rules) {
    // A hash, because the transaction may run again.
    const id = Bun.randomUUIDv5(record.operationKey ?? "", to);
    await putRule(trx, { ...record, id, rowId: to, revision: 1 });
  }
}
