import type { Generated } from "kysely";
import type { Flag } from "./flag.ts";
import type { ConfirmedBy } from "./pending-tables.ts";

/** The tables of rules of calls. */
export type RuleTables = {
  call_rules: {
    id: string;
    name: string;
    kind: string;
    row_id: string | null;
    operation_key: string | null;
    condition: string;
    outcome: RuleOutcome;
    free_count: number | null;
    decide: string;
    confirm: Generated<ConfirmedBy>;
    hour: Generated<string>;
    runs_on_approval: Generated<Flag>;
    sentence: Generated<string>;
    revision: number;
    changed_by: string | null;
    changed_at: number;
  };
  call_rule_uses: {
    rule_id: string;
    user_id: string;
    window_start: number;
    uses: number;
  };
};

/** The columns of those that are read whole. */
export const ruleColumns = {
  call_rules: [
    "id",
    "name",
    "kind",
    "row_id",
    "operation_key",
    "condition",
    "outcome",
    "free_count",
    "decide",
    "confirm",
    "hour",
    "runs_on_approval",
    "sentence",
    "revision",
    "changed_by",
    "changed_at",
  ],
} as const satisfies { [Table in keyof RuleTables]?: ReadonlyArray<keyof RuleTables[Table]> };

export type RuleOutcome = "ask" | "allow" | "refuse";
