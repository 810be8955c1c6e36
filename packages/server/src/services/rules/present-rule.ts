import type { CallRule } from "@hub/contract/call-rule.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { ruleConditionSchema, toCallRule } from "../../connectors/rows/rule-index.ts";
import { findUserNames } from "../../identity/find-user-names.ts";
import type { Db } from "../../store/database/database.ts";
import type { CallRuleRecord } from "../../store/rules/call-rule.ts";
import type { RuleOfRow } from "../../store/rules/call-rules-table.ts";
import { countDeciders } from "../../store/rules/count-deciders.ts";
import type { CheckedRule } from "./check-rule.ts";

/** Stored rules as admins see them, with the e-mails of the users whom they name. */
export async function presentRules(db: Db, rules: readonly RuleOfRow[]): Promise<CallRule[]> {
  const parsed = rules.map(({ record, row }) => ({ record, row, rule: toCallRule(record) }));
  const ids = parsed.flatMap(({ record, rule }) => [
    ...rule.exceptUsers,
    ...(record.changedBy === null ? [] : [record.changedBy]),
  ]);
  const emails = await findUserNames(db, ids);
  const shown: CallRule[] = [];
  const deciders = createDeciderCounts(db);
  for (const { record, row, rule } of parsed) {
    shown.push({
      ...toRuleMembers(record),
      id: record.id,
      row_id: row.id,
      row_label: row.label,
      connector: row.connectorKey,
      except_users: [...rule.exceptUsers].map((id) => ({ id, email: emails.get(id) ?? null })),
      revision: record.revision,
      changed_by: record.changedBy === null ? null : (emails.get(record.changedBy) ?? null),
      changed_at: toTimeText(record.changedAt),
      warnings: await listWarnings(deciders, record),
    });
  }
  return shown;
}

/** The members of a stored rule as an admin sets them. */
export function toRuleMembers(record: CallRuleRecord): CheckedRule {
  const rule = toCallRule(record);
  const asks = rule.isForDestructive ? "destructive" : "always";
  return {
    operation: record.operationKey,
    name: record.name,
    asks: record.outcome === "allow" ? "never" : asks,
    free_per_hour: record.freeCount,
    except_users: [...rule.exceptUsers],
    except_tags: [...rule.exceptTags],
    decide: rule.decide,
    confirm: record.confirm,
    hour: { ...rule.hour, fixed: [...rule.hour.fixed] },
    runs_on_approval: record.runsOnApproval,
    sentence: record.sentence,
  };
}

type DeciderCounts = (tags: readonly string[]) => ReturnType<typeof countDeciders>;

/** Many rules name the same tags, and each choice of them is counted once. */
export function createDeciderCounts(db: Db): DeciderCounts {
  const counts = new Map<string, ReturnType<typeof countDeciders>>();
  return (tags) => {
    const key = tags.join(" ");
    const count = counts.get(key) ?? countDeciders(db, tags);
    counts.set(key, count);
    return count;
  };
}

/** What keeps the questions of a rule from being decided. */
export async function listWarnings(
  countDecidersOf: DeciderCounts,
  record: CallRuleRecord,
): Promise<string[]> {
  const { decide, outcome } = toCallRule(record);
  const isKnown = ruleConditionSchema.safeParse(JSON.parse(record.condition)).success;
  if (outcome === "refuse" && !isKnown) {
    return [
      "A newer version of the hub has made this rule. Until the update, it refuses all calls.",
    ];
  }
  if (outcome !== "ask" || decide.by === "caller") return [];
  const tags = decide.tags.join(" or ");
  const deciders = await countDecidersOf(decide.tags);
  if (deciders.total === 0) {
    return [
      `No active user has the tag ${tags}. Questions cannot be decided and expire: give the tag to users.`,
    ];
  }
  if (deciders.only === null) return [];
  return [
    `Only ${deciders.only} has the tag ${tags}, and callers do not decide their own calls: questions of this user expire. Give the tag to another user.`,
  ];
}
