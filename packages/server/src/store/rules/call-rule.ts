import type { RuleOutcome } from "../database/tables/rule-tables.ts";

/** A stored rule. Its JSON members are texts that `connectors/rows/rule-index.ts` parses. */
export type CallRuleRecord = {
  id: string;
  name: string;
  /** `switch`: of a row or an operation. */
  kind: string;
  rowId: string | null;
  /** Null for all operations of the row. */
  operationKey: string | null;
  condition: string;
  outcome: RuleOutcome;
  /** So many calls of a user in an hour are free. */
  freeCount: number | null;
  decide: string;
  confirm: "page" | "client";
  hour: string;
  runsOnApproval: boolean;
  sentence: string;
  revision: number;
  /** The id of the user who changed it last. */
  changedBy: string | null;
  changedAt: number;
};

/** A row of the table as both databases read it. */
export type StoredRule = {
  id: string;
  name: string;
  kind: string;
  row_id: string | null;
  operation_key: string | null;
  condition: string;
  outcome: RuleOutcome;
  free_count: number | null;
  decide: string;
  confirm: "page" | "client";
  hour: string;
  runs_on_approval: number;
  sentence: string;
  revision: number;
  changed_by: string | null;
  changed_at: number;
};

export function toRuleRecord(rule: StoredRule): CallRuleRecord {
  return {
    id: rule.id,
    name: rule.name,
    kind: rule.kind,
    rowId: rule.row_id,
    operationKey: rule.operation_key,
    condition: rule.condition,
    outcome: rule.outcome,
    freeCount: rule.free_count,
    decide: rule.decide,
    confirm: rule.confirm,
    hour: rule.hour,
    runsOnApproval: rule.runs_on_approval === 1,
    sentence: rule.sentence,
    revision: rule.revision,
    changedBy: rule.changed_by,
    changedAt: rule.changed_at,
  };
}
