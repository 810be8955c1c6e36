import type { RuleDecide, RuleHour } from "@hub/contract/call-rule.ts";
import type { Caller } from "../../caller.ts";
import type { Operation, RegisteredConnector } from "../../connectors/connector-port.ts";
import type { CallRule, RuleIndex } from "../../connectors/rows/rule-index.ts";
import type { RuleUse } from "../../store/rules/rule-uses.ts";
import { leadsOutside } from "./leads-outside.ts";

/** What a call must meet that a rule asks about, as it is for this call. */
export type AppliedRule = {
  id: string;
  revision: number;
  name: string;
  sentence: string;
  decide: RuleDecide;
  /** `client` only where the answer to a form is enough for this call. */
  confirm: "page" | "client";
  /** Whether an approver may permit this operation for an hour, and which params stay as they were. */
  hour: { allowed: boolean; fixed: readonly string[]; destructive: boolean };
  /** The id of the user who changed it last. */
  changedBy: string | null;
  runsOnApproval: boolean;
};

/** What the rules say about a call. */
export type Judgement =
  | { kind: "pass" }
  /** Free if the hour has a free call left, which `hasFreeCall` reads. */
  | { kind: "free"; rule: AppliedRule; use: RuleUse }
  | { kind: "ask"; rule: AppliedRule }
  | { kind: "refuse"; rule: AppliedRule };

/** A call as rules see it. */
export type JudgedCall = {
  caller: Pick<Caller, "userId" | "tags">;
  row: { id: string };
  connector: Pick<RegisteredConnector, "key" | "tier">;
  operation: Pick<Operation, "key" | "destructive">;
};

type JudgeOptions = {
  /** Epoch ms of the shared clock. */
  now(): number;
  /** The free calls of this hour are used up. */
  isFreeUsedUp?: boolean;
};

const pass: Judgement = { kind: "pass" };

/**
 * Judges a call by the switches of its operation and its row. Both have no effect on what visibility, switches, limits and
 * reviews refuse. It reads the snapshot alone, so that a call that no rule names costs nothing.
 */
export function judgeCall(rules: RuleIndex, call: JudgedCall, options: JudgeOptions): Judgement {
  const rule = findRule(rules, call);
  if (rule === null || findMiss(rule, call) !== null) return pass;
  if (rule.outcome === "allow") return pass;
  const applied = applyRule(rule, call);
  if (rule.outcome === "refuse") return { kind: "refuse", rule: applied };
  if (rule.freeCount === null || options.isFreeUsedUp === true) {
    return { kind: "ask", rule: applied };
  }
  return {
    kind: "free",
    rule: applied,
    use: {
      ruleId: rule.id,
      revision: rule.revision,
      userId: call.caller.userId,
      windowStart: toHour(options.now()),
      max: rule.freeCount,
    },
  };
}

/** The switch of an operation stands in the place of that of its row. */
function findRule(
  rules: RuleIndex,
  { row, operation }: Pick<JudgedCall, "row" | "operation">,
): CallRule | null {
  const ofRow = rules.get(row.id);
  if (ofRow === undefined) return null;
  const rule = ofRow.operations.get(operation.key) ?? ofRow.whole;
  return rule === null ? null : rule();
}

/** Why a rule does not fit a call. Null if it fits. */
export function findMiss(
  rule: CallRule,
  { caller, operation }: Pick<JudgedCall, "caller" | "operation">,
): "operation" | "user" | "tag" | null {
  if (rule.isForDestructive && !operation.destructive) return "operation";
  if (rule.exceptUsers.has(caller.userId)) return "user";
  if (rule.exceptTags.some((tag) => caller.tags.has(tag))) return "tag";
  return null;
}

function applyRule(rule: CallRule, { connector, operation }: JudgedCall): AppliedRule {
  const { id, revision, name, sentence, decide, hour, runsOnApproval } = rule;
  const isFormEnough =
    rule.confirm === "client" &&
    decide.by === "caller" &&
    !(operation.destructive && leadsOutside(connector));
  return {
    id,
    revision,
    name,
    sentence,
    decide,
    confirm: isFormEnough ? "client" : "page",
    hour: {
      allowed: permitsHour(hour, operation),
      fixed: hour.fixed,
      destructive: hour.destructive,
    },
    changedBy: rule.changedBy,
    runsOnApproval,
  };
}

/** Whether an approver may permit further calls of an operation for an hour. */
export function permitsHour(
  { allowed, destructive }: Pick<RuleHour, "allowed" | "destructive">,
  operation: { destructive: boolean },
): boolean {
  return allowed && (!operation.destructive || destructive);
}

const hourMs = 3_600_000;

function toHour(at: number): number {
  return Math.floor(at / hourMs) * hourMs;
}
