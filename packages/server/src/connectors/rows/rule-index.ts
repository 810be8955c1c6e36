import { type RuleDecide, ruleDecideSchema, ruleHourSchema } from "@hub/contract/call-rule.ts";
import { z } from "zod";
import type { CallRuleRecord } from "../../store/rules/call-rule.ts";

/** The predicates of a switch. Later rules have more of them, in the same shape. */
export const ruleConditionSchema = z.strictObject({
  /** Fits operations that are described as destructive. */
  destructive: z.literal(true).optional(),
  /** Fits calls of all users but these. */
  users: z
    .strictObject({
      not: z.strictObject({
        ids: z.array(z.string()).default([]),
        tags: z.array(z.string()).default([]),
      }),
    })
    .optional(),
});
export type RuleCondition = z.output<typeof ruleConditionSchema>;

/** A switch as calls are judged by it. */
export type CallRule = {
  id: string;
  revision: number;
  name: string;
  sentence: string;
  /** Null for the switch of a whole row. */
  operationKey: string | null;
  outcome: CallRuleRecord["outcome"];
  isForDestructive: boolean;
  exceptUsers: ReadonlySet<string>;
  exceptTags: readonly string[];
  freeCount: number | null;
  decide: RuleDecide;
  confirm: "page" | "client";
  hour: { allowed: boolean; fixed: readonly string[]; destructive: boolean };
  runsOnApproval: boolean;
  changedBy: string | null;
};

/** Parsed at the first call that it names: most rules of a snapshot judge none before the next change. */
type ParsedRule = () => CallRule;

/** The switch of a row, and those of its operations. */
type RowRules = { whole: ParsedRule | null; operations: ReadonlyMap<string, ParsedRule> };

/** All switches, by row and operation. */
export type RuleIndex = ReadonlyMap<string, RowRules>;

/** The index of stored rules. It is made once per revision of the configuration. */
export function createRuleIndex(records: readonly CallRuleRecord[]): RuleIndex {
  const index = new Map<
    string,
    { whole: ParsedRule | null; operations: Map<string, ParsedRule> }
  >();
  for (const record of records) {
    if (record.kind !== "switch" || record.rowId === null) continue;
    const rules = index.get(record.rowId) ?? { whole: null, operations: new Map() };
    index.set(record.rowId, rules);
    if (record.operationKey === null) rules.whole = parseOnce(record);
    else rules.operations.set(record.operationKey, parseOnce(record));
  }
  return index;
}

function parseOnce(record: CallRuleRecord): ParsedRule {
  let parsed: CallRule | null = null;
  return () => {
    parsed ??= toCallRule(record);
    return parsed;
  };
}

/**
 * A rule with a condition or a member that this version does not know, such as one of a newer server, refuses all calls that
 * it names: passing them would do what an admin has forbidden.
 */
export function toCallRule(record: CallRuleRecord): CallRule {
  const { id, revision, name, sentence, operationKey, freeCount, confirm } = record;
  const base = { id, revision, name, sentence, operationKey, freeCount, confirm };
  const condition = ruleConditionSchema.safeParse(readJson(record.condition));
  const decide = ruleDecideSchema.safeParse(readJson(record.decide));
  const hour = ruleHourSchema.safeParse(readJson(record.hour));
  const isKnown = condition.success && decide.success && hour.success;
  return {
    ...base,
    outcome: isKnown ? record.outcome : "refuse",
    isForDestructive: condition.data?.destructive === true,
    exceptUsers: new Set(isKnown ? condition.data.users?.not.ids : []),
    exceptTags: isKnown ? (condition.data.users?.not.tags ?? []) : [],
    decide: decide.data ?? { by: "caller" },
    hour: hour.data ?? { allowed: false, fixed: [], destructive: false },
    runsOnApproval: record.runsOnApproval,
    changedBy: record.changedBy,
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
