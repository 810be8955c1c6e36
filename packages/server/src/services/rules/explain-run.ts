import type { RuleExplanation } from "@hub/contract/call-rule.ts";
import { type CallRule, toCallRule } from "../../connectors/rows/rule-index.ts";
import { HubError } from "../../errors.ts";
import { LOCAL_ADMIN_ID, localAdmin } from "../../identity/local-admin.ts";
import { findMiss } from "../../operations/rules/judge-call.ts";
import type { Db } from "../../store/database/database.ts";
import { findRow } from "../../store/rows/rows-table.ts";
import { findAskedRule } from "../../store/rules/asked-rules.ts";
import { findRule, listRowRules } from "../../store/rules/call-rules-table.ts";
import { findRun, type RunRecord } from "../../store/runs/runs-table.ts";
import type { ServiceDeps } from "../service-deps.ts";

type ExplainDeps = Pick<ServiceDeps, "store" | "registry">;

/** The caller of a call as rules see it today. */
type Judged = {
  caller: { userId: string; tags: ReadonlySet<string> };
  /** Null if the row or the operation is gone. */
  operation: { key: string; destructive: boolean } | null;
};

/**
 * Which rule asked about a recorded call, and what today's rules say about an equal one. The rules of the past are not kept:
 * the record of changes has them.
 */
export async function explainRun(
  { store, registry }: ExplainDeps,
  runId: string,
): Promise<RuleExplanation> {
  const run = await findRun(store.db, runId.trim().toLowerCase());
  if (run === null) {
    throw new HubError("not_found", `There is no call "${runId}". Old calls are purged.`);
  }
  const user = await store.reads.findUserAccess(run.userId);
  const row = run.connectorId === null ? null : await findRow(store.db, run.connectorId);
  const operations = row === null ? null : await registry.loadOperations(store.db, row);
  const judged: Judged = {
    caller: { userId: run.userId, tags: new Set(user?.tags ?? []) },
    operation: operations?.get(run.operationKey) ?? null,
  };
  const rules = row === null ? [] : await listRowRules(store.db, row.id);
  return {
    run_id: run.id,
    user: run.userId === LOCAL_ADMIN_ID ? localAdmin.email : (user?.email ?? null),
    row_label: run.rowLabel,
    operation: run.operationKey,
    asked: await findAsked(store.db, run),
    today: row === null ? [] : explainToday(rules.map(toCallRule), run, judged),
  };
}

async function findAsked(db: Db, { id }: RunRecord): Promise<RuleExplanation["asked"]> {
  const asked = await findAskedRule(db, id);
  if (asked === null) return null;
  const rule = asked.ruleId === null ? null : await findRule(db, asked.ruleId);
  return {
    pending_id: asked.pendingId,
    state: asked.state,
    rule_id: asked.ruleId,
    rule_revision: asked.ruleRevision,
    name: rule?.name ?? null,
    is_current: rule !== null && rule.revision === asked.ruleRevision,
  };
}

type Explained = RuleExplanation["today"][number];

function explainToday(
  rules: readonly CallRule[],
  { operationKey }: RunRecord,
  judged: Judged,
): Explained[] {
  const own = rules.find((rule) => rule.operationKey === operationKey) ?? null;
  const whole = rules.find((rule) => rule.operationKey === null) ?? null;
  return [
    ...(own === null ? [] : [explainRule(own, "operation", judged)]),
    ...(whole === null
      ? []
      : [own === null ? explainRule(whole, "row", judged) : toUntried(whole)]),
  ];
}

function toUntried({ id, name }: CallRule): Explained {
  const because = "The rule of the operation takes its place.";
  return { rule_id: id, name, scope: "row", outcome: "is not tried", because };
}

function explainRule(rule: CallRule, scope: "operation" | "row", judged: Judged): Explained {
  const named = { rule_id: rule.id, name: rule.name, scope };
  const { caller, operation } = judged;
  if (operation === null) {
    return { ...named, outcome: "does not fit", because: "The row no longer has the operation." };
  }
  const miss = findMiss(rule, { caller, operation });
  if (miss !== null) return { ...named, outcome: "does not fit", because: missTexts[miss] };
  if (rule.outcome === "allow") {
    return {
      ...named,
      outcome: "allows",
      because: "The operation is free of the rule of its row.",
    };
  }
  if (rule.outcome === "refuse") {
    const because = "A newer version of the hub has made it, so this one refuses what it names.";
    return { ...named, outcome: "refuses", because };
  }
  return { ...named, outcome: "asks", because: toAskText(rule, operation) };
}

const missTexts = {
  operation: "The operation is not described as destructive.",
  user: "The caller is one of the users who are not asked.",
  tag: "The caller has a tag whose users are not asked.",
};

function toAskText(rule: CallRule, { destructive }: { destructive: boolean }): string {
  const free = rule.freeCount === null ? "" : ` The first ${rule.freeCount} in an hour are free.`;
  const what =
    rule.isForDestructive && destructive
      ? "The operation is described as destructive."
      : "It names every call.";
  return `${what}${free}`;
}
