import { describeCallRule, type RuleDecide } from "@hub/contract/call-rule.ts";
import type { ChangeEntry } from "@hub/contract/change.ts";

/** A rule as the record of changes keeps it. */
type RecordedRule = {
  name: string;
  asks: "always" | "destructive" | "never";
  free_per_hour: number | null;
  /** Ids. */
  except_users: string[];
  except_tags: string[];
  decide: RuleDecide;
  confirm: "page" | "client";
  hour: { allowed: boolean; fixed: string[]; destructive: boolean };
  runs_on_approval: boolean;
  sentence: string;
};

/** A rule before and after a change, in sentences; null for the detail of another change. */
export function readRuleChange(
  detail: ChangeEntry["detail"],
): { name: string; before: string | null; after: string | null } | null {
  const { rule, operation, from = null, to = null } = detail;
  if (typeof rule !== "string" || (!isRule(from) && !isRule(to))) return null;
  return {
    name: typeof operation === "string" ? `rule of ${operation}` : "rule of all operations",
    before: isRule(from) ? describeRule(from) : null,
    after: isRule(to) ? describeRule(to) : null,
  };
}

/** The hub has written all members together, or the change is of another kind. */
function isRule(value: unknown): value is RecordedRule {
  const { asks, decide, hour, except_users: users, except_tags: tags } = Object(value);
  const hasLists = Array.isArray(users) && Array.isArray(tags) && Array.isArray(hour?.fixed);
  return typeof asks === "string" && typeof decide?.by === "string" && hasLists;
}

function describeRule(rule: RecordedRule): string {
  const { name, hour, sentence } = rule;
  const except_users = rule.except_users.map((id) => ({ id, email: null }));
  const parts = [describeCallRule({ ...rule, except_users })];
  if (rule.asks !== "never") {
    if (rule.confirm === "client") parts.push("A form in the client is enough.");
    if (hour.allowed) parts.push(describeHour(hour));
    if (rule.runs_on_approval) parts.push("An approved call runs by itself.");
  }
  if (name !== "Ask before acting") parts.push(`Its name is "${name}".`);
  if (sentence !== "") parts.push(`Why: ${sentence}`);
  return parts.join(" ");
}

function describeHour({ fixed, destructive }: RecordedRule["hour"]): string {
  const too = destructive ? ", also for destructive operations" : "";
  const same = fixed.length === 0 ? "" : `, with the same ${fixed.join(", ")}`;
  return `May be permitted for an hour${too}${same}.`;
}
