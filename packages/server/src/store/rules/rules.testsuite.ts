import { expect, test } from "bun:test";
import { transaction } from "../database/database.ts";
import { deleteRow, insertRow } from "../rows/rows-table.ts";
import { findRun } from "../runs/runs-table.ts";
import { newRow, newRun } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import {
  deleteRule,
  findRule,
  findSwitch,
  listRowRules,
  listRules,
  putRule,
} from "./call-rules-table.ts";
import { countRuleUses, type RuleUse } from "./rule-uses.ts";
import { newRule } from "./testing/new-rule.ts";

const hour = 3_600_000;

/** Rules of calls, and the count of free calls. */
export function describeRules(stores: () => TestStores): void {
  const db = () => stores().store.db;

  async function addRule(given: Parameters<typeof newRule>[0] = {}) {
    const row = await insertRow(db(), newRow());
    const rule = newRule({ id: crypto.randomUUID(), rowId: row.id, ...given });
    await transaction(db(), (trx) => putRule(trx, rule));
    return rule;
  }

  function toUse(rule: { id: string; revision: number }, given: Partial<RuleUse> = {}): RuleUse {
    const { id: ruleId, revision } = rule;
    return { ruleId, revision, userId: "u1", windowStart: hour, max: 2, ...given };
  }

  test("A rule is stored, changed in its place, found by row and operation, and goes with its row", async () => {
    const rule = await addRule({ freeCount: 2, runsOnApproval: true, sentence: "Why." });
    expect(await findRule(db(), rule.id)).toEqual(rule);
    const own = { ...rule, id: crypto.randomUUID(), operationKey: "write" };
    await transaction(db(), (trx) => putRule(trx, own));
    const changed = { ...rule, revision: 2, name: "Other", outcome: "allow" as const };
    await transaction(db(), (trx) => putRule(trx, changed));
    const rowId = String(rule.rowId);
    expect(await listRowRules(db(), rowId)).toEqual([changed, own]);
    expect(await findSwitch(db(), rowId, null)).toEqual(changed);
    expect(await findSwitch(db(), rowId, "write")).toEqual(own);
    expect(await findSwitch(db(), rowId, "other")).toBeNull();
    const all = await listRules(db(), { limit: 100 });
    expect(all.filter(({ row }) => row.id === rowId).map(({ record }) => record.id)).toEqual(
      [rule.id, own.id].sort(),
    );
    expect(await transaction(db(), (trx) => deleteRule(trx, own.id))).toBe(true);
    expect(await transaction(db(), (trx) => deleteRule(trx, own.id))).toBe(false);
    await deleteRow(db(), rowId);
    expect(await findRule(db(), rule.id)).toBeNull();
  });

  test("A row has one rule, and each of its operations one", async () => {
    const rule = await addRule();
    for (const operationKey of [null, "write"]) {
      const one = { ...rule, operationKey };
      if (operationKey !== null) {
        await transaction(db(), (trx) => putRule(trx, { ...one, id: crypto.randomUUID() }));
      }
      const second = { ...one, id: crypto.randomUUID() };
      expect(transaction(db(), (trx) => putRule(trx, second))).rejects.toThrow();
    }
  });

  test("The snapshot has the rules, and each change of one is a new revision", async () => {
    const { reads } = stores().store;
    const before = await reads.readRevision();
    const rule = await addRule();
    const after = await reads.readRevision();
    expect(after).toBeGreaterThan(before);
    expect((await reads.loadSnapshot()).rules.find(({ id }) => id === rule.id)).toEqual(rule);
    await transaction(db(), (trx) => deleteRule(trx, rule.id));
    expect(await reads.readRevision()).toBeGreaterThan(after);
  });

  test("Free calls at once on two servers are counted with their records, and no more than the rule allows", async () => {
    const rule = await addRule();
    const other = await stores().openAnother();
    const calls = Array.from({ length: 12 }, () => newRun());
    const begun = await Promise.allSettled(
      calls.map((run, index) => {
        const { runs } = index % 2 === 0 ? stores().store : other;
        return runs.begin(run, toUse(rule, { max: 5 }));
      }),
    );
    const passed = begun.filter(({ status }) => status === "fulfilled");
    expect(passed).toHaveLength(5);
    for (const [index, { status }] of begun.entries()) {
      const run = calls[index];
      const stored = run === undefined ? null : await findRun(db(), run.id);
      expect(stored !== null).toBe(status === "fulfilled");
    }
    expect(await countRuleUses(db(), toUse(rule))).toBe(5);
    const refused = begun.find(({ status }) => status === "rejected");
    expect(refused).toMatchObject({ reason: { code: "approval_required" } });
  });

  test("Calls without a free call that share the commit of others are stored", async () => {
    const rule = await addRule();
    const { runs } = stores().store;
    const [one, two, three] = [newRun(), newRun(), newRun()];
    const begun = await Promise.allSettled([
      runs.begin(one),
      runs.begin(two, toUse({ ...rule, revision: 99 })),
      runs.begin(three),
    ]);
    expect(begun.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(await findRun(db(), one.id)).toMatchObject({ status: "running" });
    expect(await findRun(db(), two.id)).toBeNull();
    expect(await findRun(db(), three.id)).toMatchObject({ status: "running" });
  });

  test("Each user and each hour has its own free calls, and a rule that changed or is gone has none", async () => {
    const rule = await addRule();
    const { runs } = stores().store;
    const begin = async (given: Partial<RuleUse>) => {
      const use = toUse(rule, given);
      return await runs.begin(newRun(), use).then(
        () => true,
        () => false,
      );
    };
    expect([await begin({}), await begin({}), await begin({})]).toEqual([true, true, false]);
    expect(await begin({ userId: "u2" })).toBe(true);
    expect(await begin({ windowStart: 2 * hour })).toBe(true);
    // A server whose clock is behind gets no new hour.
    expect([await begin({}), await begin({})]).toEqual([true, false]);
    expect(await begin({ revision: 2, windowStart: 3 * hour })).toBe(false);
    await transaction(db(), (trx) => deleteRule(trx, rule.id));
    expect(await begin({ windowStart: 4 * hour })).toBe(false);
  });
}
