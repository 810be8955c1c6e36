import { callRuleInputSchema } from "@hub/contract/call-rule.ts";
import type { z } from "zod";
import type { Operation, RegisteredConnector } from "../../connectors/connector-port.ts";
import { lineSchema, toBadRequest } from "../../lib/input/check-input.ts";
import { leadsOutside } from "../../operations/rules/leads-outside.ts";
import { EVERYONE_TAG, toTagNames } from "../../store/tags/tags-table.ts";

/** The names and the sentence are one line each. */
export const ruleInputSchema = callRuleInputSchema.extend({
  name: lineSchema(100).default("Ask before acting"),
  sentence: callRuleInputSchema.shape.sentence
    .unwrap()
    .trim()
    .regex(/^\P{Cc}*$/u, { error: "must be one line without control characters." })
    .default(""),
});
export type CheckedRule = z.output<typeof ruleInputSchema>;

type RuleTarget = {
  connector: RegisteredConnector;
  /** Null for the whole row. */
  operation: Operation | null;
};

/**
 * The rule with its tags in lower case, and without what has no effect. Throws `bad_request` for members that contradict
 * each other: a rule that an admin cannot understand protects nothing.
 */
export function checkRule(given: CheckedRule, target: RuleTarget): CheckedRule {
  const { asks, confirm } = given;
  const { operation } = target;
  const rule = withTagNames(given);
  if (operation === null && asks === "never") {
    throw refuse("asks", "is `never` for an operation only. Remove the rule of the row instead.");
  }
  if (operation !== null && asks === "destructive") {
    throw refuse("asks", "is `always` or `never` for an operation.");
  }
  if (asks === "never") return withoutQuestion(rule);
  if (confirm === "client") checkForm(rule, target);
  if (rule.hour.destructive && !rule.hour.allowed) {
    throw refuse("hour.destructive", "needs `hour.allowed`.");
  }
  if (operation !== null) checkFixed(operation, rule.hour.fixed);
  return rule;
}

function withTagNames(rule: CheckedRule): CheckedRule {
  const { decide } = rule;
  const exceptTags = toTagNames(rule.except_tags).sort();
  if (exceptTags.includes(EVERYONE_TAG)) {
    throw refuse("except_tags", `must not have ${EVERYONE_TAG}, which every user has.`);
  }
  return {
    ...rule,
    except_users: [...new Set(rule.except_users.map((id) => id.toLowerCase()))].sort(),
    except_tags: exceptTags,
    decide: decide.by === "tags" ? { by: "tags", tags: toTagNames(decide.tags).sort() } : decide,
    hour: { ...rule.hour, fixed: [...new Set(rule.hour.fixed)].sort() },
  };
}

/** Of an operation that the switch of its row does not reach. */
function withoutQuestion({ operation, name, asks, sentence }: CheckedRule): CheckedRule {
  return { ...ruleInputSchema.parse({ asks }), operation, name, sentence };
}

/** The answer to a form comes from a client, and a program can give it. */
function checkForm({ decide, asks }: CheckedRule, { connector, operation }: RuleTarget): void {
  if (decide.by !== "caller") {
    throw refuse(
      "confirm",
      "is `page` if users with a tag decide: a form is answered by the caller's own client.",
    );
  }
  const isDestructive = asks === "destructive" || operation?.destructive === true;
  if (isDestructive && leadsOutside(connector)) {
    throw refuse(
      "confirm",
      "is `page` for destructive operations of a row that leads outside: a client's form is not enough for them.",
    );
  }
}

function checkFixed({ key, inputFields, fromRow }: Operation, fixed: readonly string[]): void {
  const inputs = new Set(inputFields.map((field) => field.key));
  if (fromRow?.hasOtherParams() === true) return;
  const unknown = fixed.filter((name) => !inputs.has(name));
  if (unknown.length === 0) return;
  throw refuse(
    "hour.fixed",
    `names params that ${key} does not have: ${unknown.join(", ")}. It has: ${[...inputs].join(", ") || "none"}.`,
  );
}

function refuse(path: string, message: string) {
  return toBadRequest([{ path, message }]);
}
