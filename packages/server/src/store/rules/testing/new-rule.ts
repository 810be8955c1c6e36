import type { CallRuleRecord } from "../call-rule.ts";

/** A rule that asks the caller about every call of the row `r1`. */
export function newRule(given: Partial<CallRuleRecord> = {}): CallRuleRecord {
  return {
    id: "rule",
    name: "Ask before acting",
    kind: "switch",
    rowId: "r1",
    operationKey: null,
    condition: "{}",
    outcome: "ask",
    freeCount: null,
    decide: '{"by":"caller"}',
    confirm: "page",
    hour: "{}",
    runsOnApproval: false,
    sentence: "",
    revision: 1,
    changedBy: null,
    changedAt: 0,
    ...given,
  };
}
