import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { qualify, tableColumns } from "../database/table-columns.ts";
import { toFlag } from "../database/tables/flag.ts";
import { bumpRevision } from "../settings/revision.ts";
import { type CallRuleRecord, toRuleRecord } from "./call-rule.ts";

export type RulePage = { after?: string | undefined; limit: number };

/** A rule and the names of its row. */
export type RuleOfRow = {
  record: CallRuleRecord;
  row: { id: string; label: string; connectorKey: string };
};

/** The switches of a row: its own first, then those of operations by key. */
export async function listRowRules(db: Db, rowId: string): Promise<CallRuleRecord[]> {
  const rules = await toKysely(db)
    .selectFrom("call_rules")
    .select(tableColumns.call_rules)
    .where("kind", "=", "switch")
    .where("row_id", "=", rowId)
    .execute();
  return rules.map(toRuleRecord).sort(compareRules);
}

/** One page of all switches, by id, with their rows. */
export async function listRules(db: Db, { after, limit }: RulePage): Promise<RuleOfRow[]> {
  let rules = toKysely(db)
    .selectFrom("call_rules")
    .innerJoin("connector_rows", "connector_rows.id", "call_rules.row_id")
    .select(qualify("call_rules"))
    .select(["connector_rows.label", "connector_rows.connector_key"])
    .where("call_rules.kind", "=", "switch")
    .orderBy("call_rules.id")
    .limit(limit);
  if (after !== undefined) rules = rules.where("call_rules.id", ">", after);
  return (await rules.execute()).map(({ label, connector_key: connectorKey, ...rule }) => ({
    record: toRuleRecord(rule),
    row: { id: rule.row_id ?? "", label, connectorKey },
  }));
}

/** How many rules the hub has. */
export async function countRules(db: Db): Promise<number> {
  const { count } = await toKysely(db)
    .selectFrom("call_rules")
    .select((rule) => rule.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function findRule(db: Db, id: string): Promise<CallRuleRecord | null> {
  const found = await toKysely(db)
    .selectFrom("call_rules")
    .select(tableColumns.call_rules)
    .where("id", "=", id)
    .executeTakeFirst();
  return found === undefined ? null : toRuleRecord(found);
}

/** The switch of a row, or of one of its operations. */
export async function findSwitch(
  db: Db,
  rowId: string,
  operationKey: string | null,
): Promise<CallRuleRecord | null> {
  const found = await toKysely(db)
    .selectFrom("call_rules")
    .select(tableColumns.call_rules)
    .where("kind", "=", "switch")
    .where("row_id", "=", rowId)
    .where("operation_key", "is not distinct from", operationKey)
    .executeTakeFirst();
  return found === undefined ? null : toRuleRecord(found);
}

/** Stores a rule, in the place of the one with this id, whose free calls stay counted. All servers see it with their next call. */
export async function putRule(trx: Transaction, rule: CallRuleRecord): Promise<void> {
  const { id, kind, rowId, operationKey, ...rest } = rule;
  const changed = {
    name: rest.name,
    condition: rest.condition,
    outcome: rest.outcome,
    free_count: rest.freeCount,
    decide: rest.decide,
    confirm: rest.confirm,
    hour: rest.hour,
    runs_on_approval: toFlag(rest.runsOnApproval),
    sentence: rest.sentence,
    revision: rest.revision,
    changed_by: rest.changedBy,
    changed_at: rest.changedAt,
  };
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("call_rules")
    .set(changed)
    .where("id", "=", id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) {
    await toKysely(trx)
      .insertInto("call_rules")
      .values({ id, kind, row_id: rowId, operation_key: operationKey, ...changed })
      .execute();
  }
  await bumpRevision(trx);
}

/** False if there is no such rule. */
export async function deleteRule(trx: Transaction, id: string): Promise<boolean> {
  const { numDeletedRows } = await toKysely(trx)
    .deleteFrom("call_rules")
    .where("id", "=", id)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await bumpRevision(trx);
  return true;
}

function compareRules(one: CallRuleRecord, other: CallRuleRecord): number {
  const [a, b] = [one.operationKey ?? "", other.operationKey ?? ""];
  return a < b ? -1 : Number(a > b);
}
