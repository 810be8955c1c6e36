import type { CallRule, CallRuleChange, RowRules } from "@hub/contract/call-rule.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import type { RuleCondition } from "../../connectors/rows/rule-index.ts";
import { HubError } from "../../errors.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import { checkInput, toBadRequest } from "../../lib/input/check-input.ts";
import { type Page, type PageInput, readPage } from "../../lib/input/page.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import type { CallRuleRecord } from "../../store/rules/call-rule.ts";
import {
  deleteRule as deleteStoredRule,
  findRule,
  findSwitch,
  listRowRules,
  listRules,
  putRule,
} from "../../store/rules/call-rules-table.ts";
import { findEmails } from "../../store/search/name-lookups.ts";
import { findConnector, findRowOperation } from "../connectors/find-connector.ts";
import { loadRow } from "../rows/load-row.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { type CheckedRule, checkRule, ruleInputSchema } from "./check-rule.ts";
import { checkRuleCount } from "./check-rule-count.ts";
import { checkChangesRules } from "./check-rule-rights.ts";
import { presentRules, toRuleMembers } from "./present-rule.ts";

type RuleDeps = Pick<ServiceDeps, "store" | "registry" | "now">;

/** One page of all switches of the hub, in no order. */
export async function listCallRules(
  { store }: Pick<RuleDeps, "store">,
  page: PageInput = {},
): Promise<Page<CallRule>> {
  const { items, next } = await readPage(page, {
    keyType: "string",
    read: (after, limit) => listRules(store.db, { after: after?.id, limit }),
    toCursor: ({ record: { id } }) => ({ key: "", id }),
  });
  return { items: await presentRules(store.db, items), next };
}

/** The switches of a row: its own first, then those of its operations. */
export async function listRulesOfRow(
  { store }: Pick<RuleDeps, "store">,
  rowId: string,
): Promise<RowRules> {
  const row = await loadRow(store.db, rowId);
  const records = await listRowRules(store.db, row.id);
  const rules = await presentRules(
    store.db,
    records.map((record) => ({ record, row })),
  );
  return { row_id: row.id, rules };
}

/**
 * Sets the switch of a row or of one of its operations, in the place of the present one. The next call of every server is
 * judged by it, and questions of the former one are asked anew. Only in a session or on the command line. Throws `conflict` if
 * `rule_id` or `revision` is given and the present switch has another one.
 */
export async function setRule(
  { store, registry, now }: RuleDeps,
  actor: Actor,
  rowId: string,
  { rule_id: ruleId, revision, ...input }: CallRuleChange,
): Promise<CallRule> {
  checkChangesRules(actor);
  const given = checkInput(ruleInputSchema, input);
  const id = crypto.randomUUID();
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const row = await loadRow(trx, rowId);
    const connector = findConnector(registry, row.connectorKey);
    const operation =
      given.operation === null ? null : await findRowOperation(registry, trx, row, given.operation);
    const rule = checkRule(given, { connector, operation });
    const before = await findSwitch(trx, row.id, rule.operation);
    checkRead(before, { ruleId, revision });
    if (before === null) await checkRuleCount(trx, 1);
    await checkUsers(trx, rule, before);
    const record = toRecord(rule, {
      id: before?.id ?? id,
      rowId: row.id,
      revision: (before?.revision ?? 0) + 1,
      changedBy: actor.userId,
      changedAt: stamp.changedAt,
    });
    const from = before === null ? null : toRuleMembers(before);
    if (from === null || !Bun.deepEquals(from, toRuleMembers(record))) {
      await putRule(trx, record);
      await recordChange(trx, stamp, {
        action: "rule.set",
        kind: "row",
        id: row.id,
        name: row.label,
        detail: { rule: record.id, operation: rule.operation, from, to: rule },
      });
    }
    const [shown] = await presentRules(trx, [{ record: await loadRule(trx, record.id), row }]);
    if (shown === undefined) throw toMissing();
    return shown;
  });
}

/** Removes a switch: its calls are no longer asked about, unless the row's own switch does. */
export async function deleteRule(
  { store, now }: Pick<RuleDeps, "store" | "now">,
  actor: Actor,
  rowId: string,
  { rule: ruleId, revision }: { rule: string; revision?: number | undefined },
): Promise<{ id: string; operation: string | null }> {
  checkChangesRules(actor);
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const row = await loadRow(trx, rowId);
    const record = await loadRule(trx, ruleId.toLowerCase());
    if (record.rowId !== row.id) throw toMissing();
    checkRead(record, { revision });
    await deleteStoredRule(trx, record.id);
    const operation = record.operationKey;
    const from = toRuleMembers(record);
    await recordChange(trx, stamp, {
      action: "rule.delete",
      kind: "row",
      id: row.id,
      name: row.label,
      detail: { rule: record.id, operation, from },
    });
    return { id: record.id, operation };
  });
}

/** What a change says of the rule that it was made from. */
type ReadRule = { ruleId?: string | null | undefined; revision: number | undefined };

/**
 * Refuses the second of two admins who change a rule at once, so that the change of the first is not lost unseen. The id tells a
 * rule from one that was made after its removal, whose revisions begin anew.
 */
function checkRead(before: CallRuleRecord | null, { ruleId, revision }: ReadRule): void {
  const present = before?.revision ?? 0;
  const isSame = ruleId === undefined || (ruleId?.toLowerCase() ?? null) === (before?.id ?? null);
  if (isSame && (revision === undefined || revision === present)) return;
  throw new HubError(
    "conflict",
    "The rule has changed since you read it. Read it again, then repeat your change.",
    { detail: { revision: present } },
  );
}

async function loadRule(trx: Transaction, id: string): Promise<CallRuleRecord> {
  const record = await findRule(trx, id);
  if (record === null) throw toMissing();
  return record;
}

/** A user who was deleted since stays in a rule. */
async function checkUsers(
  trx: Transaction,
  { except_users: ids }: CheckedRule,
  before: CallRuleRecord | null,
): Promise<void> {
  const known = new Set([
    LOCAL_ADMIN_ID,
    ...(before === null ? [] : toRuleMembers(before).except_users),
    ...(await findEmails(trx, ids)).keys(),
  ]);
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length === 0) return;
  throw toBadRequest([
    { path: "except_users", message: `names users who do not exist: ${unknown.join(", ")}.` },
  ]);
}

function toRecord(
  rule: CheckedRule,
  rest: Pick<CallRuleRecord, "id" | "rowId" | "revision" | "changedBy" | "changedAt">,
): CallRuleRecord {
  const { asks, except_users: ids, except_tags: tags } = rule;
  const condition: RuleCondition = {
    ...(asks === "destructive" && { destructive: true }),
    ...(ids.length + tags.length > 0 && { users: { not: { ids, tags } } }),
  };
  return {
    ...rest,
    name: rule.name,
    kind: "switch",
    operationKey: rule.operation,
    condition: JSON.stringify(condition),
    outcome: asks === "never" ? "allow" : "ask",
    freeCount: rule.free_per_hour,
    decide: JSON.stringify(rule.decide),
    confirm: rule.confirm,
    hour: JSON.stringify(rule.hour),
    runsOnApproval: rule.runs_on_approval,
    sentence: rule.sentence,
  };
}

function toMissing(): HubError {
  return new HubError("not_found", "There is no such rule.");
}
