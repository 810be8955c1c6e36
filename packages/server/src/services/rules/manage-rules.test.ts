import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { CallRuleChange, CallRuleInput, RuleDecide } from "@hub/contract/call-rule.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { commandLineActor } from "../../identity/local-admin.ts";
import {
  listDeciderChanges,
  listExcluded,
  listExcludedSince,
} from "../../operations/rules/list-excluded.ts";
import { transaction } from "../../store/database/database.ts";
import { findRule, listRowRules } from "../../store/rules/call-rules-table.ts";
import { listenTo } from "../../store/testing/listen-to.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { checkRules } from "../doctor/check-rules.ts";
import { actAs } from "../testing/act-as.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { checkMarksRuleOperations } from "./check-rule-rights.ts";
import { deleteRule, listCallRules, listRulesOfRow, setRule } from "./manage-rules.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

const asToken: Actor = { ...commandLineActor, tokenId: "t1", via: "token" };

async function addRow(): Promise<string> {
  const values = { base_url: "https://a.example", token: "s3cret-of-the-tracker" };
  const { id } = await hub.admin.rows.add({ connector: "tracker", label: "Rows", values });
  return id;
}

const set = (row: string, input: CallRuleChange, actor = commandLineActor) =>
  setRule(hub.deps, actor, row, input);

test("A rule is set, changed in its place and removed, and each change is recorded", async () => {
  const row = await addRow();
  const { id: ada } = await hub.admin.users.add({ email: "ada@example.com" });
  const first = await set(row, { asks: "destructive", except_users: [ada], except_tags: ["Ops"] });
  expect(first).toMatchObject({
    row_id: row,
    operation: null,
    asks: "destructive",
    except_users: [{ id: ada, email: "ada@example.com" }],
    except_tags: ["ops"],
    revision: 1,
    changed_by: "local-admin",
    warnings: [],
  });
  const second = await set(row, { asks: "always", free_per_hour: 5 });
  expect(second).toMatchObject({ id: first.id, revision: 2, asks: "always", free_per_hour: 5 });
  // The same again is no change: questions that wait stay.
  expect((await set(row, { asks: "always", free_per_hour: 5 })).revision).toBe(2);
  const own = await set(row, { operation: "read", asks: "never" });
  const { rules } = await listRulesOfRow(hub.deps, row);
  expect(rules.map(({ id }) => id)).toEqual([first.id, own.id]);
  const all = await listCallRules(hub.deps, {});
  expect(all.items.filter((rule) => rule.row_id === row)).toHaveLength(2);
  expect(await deleteRule(hub.deps, commandLineActor, row, { rule: own.id })).toEqual({
    id: own.id,
    operation: "read",
  });
  const changes = await hub.admin.changes.list({ targetId: row });
  expect(changes.map(({ action }) => action)).toEqual([
    "rule.delete",
    "rule.set",
    "rule.set",
    "rule.set",
    "row.create",
  ]);
  expect(changes[2]?.detail).toMatchObject({
    operation: null,
    from: { asks: "destructive" },
    to: { asks: "always", free_per_hour: 5 },
  });
});

test("Of two admins who change a rule at once, the second is told, and the first change stays", async () => {
  const row = await addRow();
  const conflict = (revision: number) => ({ code: "conflict", detail: { revision } });
  const first = await set(row, { asks: "always", revision: 0 });
  await expect(set(row, { asks: "destructive", revision: 0 })).rejects.toMatchObject(conflict(1));
  await set(row, { asks: "destructive", revision: first.revision });
  const late = { asks: "always" as const, free_per_hour: 9, revision: first.revision };
  await expect(set(row, late)).rejects.toMatchObject(conflict(2));
  const remove = (revision: number) =>
    deleteRule(hub.deps, commandLineActor, row, { rule: first.id, revision });
  await expect(remove(1)).rejects.toMatchObject(conflict(2));
  expect((await listRulesOfRow(hub.deps, row)).rules).toMatchObject([
    { asks: "destructive", free_per_hour: null, revision: 2 },
  ]);
  await remove(2);
  await expect(set(row, { ...late, revision: 2 })).rejects.toMatchObject(conflict(0));
  expect((await listRulesOfRow(hub.deps, row)).rules).toEqual([]);
});

test("A rule that was removed and made anew is not replaced by a change of the former one", async () => {
  const row = await addRow();
  const { id: rule_id, revision } = await set(row, { asks: "always", rule_id: null, revision: 0 });
  await deleteRule(hub.deps, commandLineActor, row, { rule: rule_id });
  const anew = await set(row, { asks: "destructive" });
  expect(anew.revision).toBe(revision);
  const late = { asks: "always", free_per_hour: 9 } as const;
  for (const id of [rule_id, null]) {
    const stale = set(row, { ...late, rule_id: id, revision });
    await expect(stale).rejects.toMatchObject({ code: "conflict" });
  }
  expect(await set(row, { ...late, rule_id: anew.id.toUpperCase(), revision })).toMatchObject(late);
});

test("A rule of another row is not removed by its id", async () => {
  const [row, other] = [await addRow(), await addRow()];
  const { id } = await set(other, { asks: "always" });
  const removed = deleteRule(hub.deps, commandLineActor, row, { rule: id });
  await expect(removed).rejects.toMatchObject({ code: "not_found" });
  expect(await findRule(hub.deps.store.db, id)).not.toBeNull();
});

describe("what a rule must not say", () => {
  const tags: RuleDecide = { by: "tags", tags: ["leads"] };
  const cases: Array<[CallRuleInput, string]> = [
    [{ asks: "never" }, "asks is `never` for an operation only"],
    [{ operation: "read", asks: "destructive" }, "asks is `always` or `never` for an operation"],
    [{ asks: "always", confirm: "client", decide: tags }, "confirm is `page` if users with a tag"],
    [{ asks: "destructive", confirm: "client" }, "confirm is `page` for destructive operations"],
    [{ asks: "always", except_tags: ["everyone"] }, "must not have everyone"],
    [{ asks: "always", except_users: ["nemo"] }, "names users who do not exist: nemo"],
    [{ asks: "always", hour: { destructive: true } }, "needs `hour.allowed`"],
    [
      { operation: "read", asks: "always", hour: { allowed: true, fixed: ["nope", "note"] } },
      "names params that read does not have: nope. It has: note.",
    ],
    [{ asks: "always", decide: { by: "tags", tags: ["no tag"] } }, "is not a tag name"],
    [{ asks: "always", free_per_hour: 0 }, "free_per_hour"],
    [{ asks: "always", name: "two\nlines" }, "must be one line"],
    [{ asks: "always", sentence: "two\nlines" }, "must be one line"],
  ];
  test.each(cases)("%j is refused", async (input, message) => {
    const refused = set(await addRow(), input);
    await expect(refused).rejects.toMatchObject({
      code: "bad_request",
      message: expect.stringContaining(message),
    });
  });

  test("An operation that the row does not have is refused", async () => {
    const refused = set(await addRow(), { operation: "rede", asks: "always" });
    await expect(refused).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("what a token must not do", () => {
  test("It neither sets nor removes a rule", async () => {
    const row = await addRow();
    const { id } = await set(row, { asks: "always" });
    for (const refused of [
      set(row, { operation: "read", asks: "never" }, asToken),
      deleteRule(hub.deps, asToken, row, { rule: id }),
      setRule(hub.deps, { ...asToken, via: "chat" }, row, { asks: "destructive" }),
    ]) {
      await expect(refused).rejects.toMatchObject({ code: "forbidden" });
    }
    expect((await listRulesOfRow(hub.deps, row)).rules).toHaveLength(1);
  });

  test("It gives no user a tag by which a rule spares calls or lets users decide", async () => {
    const row = await addRow();
    await set(row, {
      asks: "always",
      except_tags: ["spared"],
      decide: { by: "tags", tags: ["deciders"] },
    });
    const { id } = await hub.admin.users.add({ email: "eve@example.com", tags: ["spared"] });
    const token = actAs(hub.deps, asToken);
    for (const tag of ["spared", "deciders"]) {
      const added = token.users.add({ email: `${tag}@example.com`, tags: [tag] });
      await expect(added).rejects.toMatchObject({ code: "forbidden" });
    }
    const given = token.users.set(id, { addTags: ["deciders"] });
    await expect(given).rejects.toMatchObject({ code: "forbidden" });
    // Other tags, those that the user has, and taking one away are not its subject.
    await token.users.set(id, { addTags: ["other"] });
    await token.users.set(id, { removeTags: ["spared"] });
    await hub.admin.users.set(id, { addTags: ["spared", "deciders"] });
  });

  test("A copy of a row keeps its rules, so that a copy is no way around them", async () => {
    const row = await addRow();
    await set(row, { asks: "always", decide: { by: "tags", tags: ["leads"] } });
    await set(row, { operation: "read", asks: "always" });
    const copy = await actAs(hub.deps, asToken).rows.duplicate(row, {});
    const rules = await listRowRules(hub.deps.store.db, copy.id);
    expect(rules.map(({ operationKey, decide }) => [operationKey, decide])).toEqual([
      [null, '{"by":"tags","tags":["leads"]}'],
      ["read", '{"by":"caller"}'],
    ]);
  });

  test("A copy of a row is refused if the hub would have too many rules", async () => {
    const row = await addRow();
    await set(row, { asks: "always" });
    const { db } = hub.deps.store;
    const names = "'n', kind, row_id, 'o' || n, condition, outcome, free_count, decide, confirm";
    await runSql(
      db,
      `insert into call_rules with recursive many (n) as (select 1 union all select n + 1 from many where n < 5000)
       select 'many-' || n, ${names}, hour, runs_on_approval, sentence, revision, changed_by, changed_at
       from many, call_rules where row_id = ? and operation_key is null`,
      row,
    );
    await expect(hub.admin.rows.duplicate(row, {})).rejects.toMatchObject({ code: "conflict" });
    await runSql(db, "delete from call_rules where id like 'many-%'");
  });
});

test("Questions that cannot be decided are a warning of the rule and of the doctor", async () => {
  const row = await addRow();
  const decide: RuleDecide = { by: "tags", tags: ["rare"] };
  const rule = await set(row, { asks: "always", decide });
  expect(rule.warnings).toEqual([expect.stringContaining("No active user has the tag rare")]);
  const [check] = await checkRules(hub.deps);
  expect(check).toMatchObject({ name: "rules", status: "warn" });
  expect(check?.message).toContain("No active user has the tag rare");
  await hub.admin.users.add({ email: "one@example.com", tags: ["rare"] });
  const one = await listRulesOfRow(hub.deps, row);
  expect(one.rules[0]?.warnings).toEqual([expect.stringContaining("Only one@example.com has")]);
  await hub.admin.users.add({ email: "two@example.com", tags: ["rare"] });
  expect((await listRulesOfRow(hub.deps, row)).rules[0]?.warnings).toEqual([]);
  await hub.admin.users.disable("two@example.com");
  expect((await listRulesOfRow(hub.deps, row)).rules[0]?.warnings).toHaveLength(1);
});

test("Who gave a deciding tag or changed a rule since the question, and whom the caller made an approver, may not decide", async () => {
  const { db } = hub.deps.store;
  const row = await addRow();
  const add = async (name: string) =>
    (await hub.admin.users.add({ email: `${name}@since.example` })).id;
  const [caller, giver, friend, puppet] = [
    await add("caller"),
    await add("giver"),
    await add("friend"),
    await add("puppet"),
  ];
  const decide: RuleDecide = { by: "tags", tags: ["since"] };
  await hub.admin.users.set(friend, { addTags: ["since"] });
  const askedAt = hub.deps.now() + 1;
  const excluded = await listExcluded(db, { userId: caller, workflowRunId: null });
  expect(excluded).toEqual([caller]);
  const since = () => listExcludedSince(db, { rowId: row, decide, askedAt, excluded });
  expect(await since()).toEqual([]);
  const later = { ...hub.deps, now: () => askedAt + 1 };
  const as = (userId: string): Actor => ({ ...commandLineActor, userId, via: "session" });
  // A tag that decides nothing, and a deciding one that is taken away.
  await actAs(later, as(giver)).users.set(puppet, { addTags: ["unrelated"] });
  await actAs(later, as(giver)).users.set(friend, { removeTags: ["since"] });
  expect(await since()).toEqual([]);
  await actAs(later, as(giver)).users.set(friend, { addTags: ["since"] });
  expect(await since()).toEqual([giver]);
  await actAs(later, as(caller)).users.set(puppet, { addTags: ["since"] });
  expect((await since()).sort()).toEqual([giver, caller, puppet].sort());
  await setRule(later, as(friend), row, { asks: "always" });
  expect(await since()).toContain(friend);
});

test("Changes of other kinds since the question are not read one by one", async () => {
  const { db } = hub.deps.store;
  const since = hub.deps.now();
  const actor = { ...commandLineActor, via: "session" } as const;
  await transaction(db, async (trx) => {
    for (let at = 0; at < 1_001; at++) {
      const saved = { action: "workflow.save", kind: "workflow", id: "w", name: "w" } as const;
      await recordChange(trx, stampChange(actor, since), saved);
    }
  });
  const { db: listened, read } = listenTo(db);
  await listDeciderChanges(listened, since);
  expect(read).toHaveLength(1);
});

test("A token marks no operation as reading where that decides what is asked", async () => {
  const { db } = hub.deps.store;
  const check = (row: string, actor = asToken) => checkMarksRuleOperations(db, actor, row);
  for (const input of [
    { asks: "destructive" },
    { asks: "always", confirm: "client" },
    { asks: "always", hour: { allowed: true } },
  ] as const) {
    const row = await addRow();
    await check(row);
    await set(row, input);
    await expect(check(row)).rejects.toMatchObject({ code: "forbidden" });
    await check(row, commandLineActor);
  }
  const row = await addRow();
  await set(row, { asks: "always", hour: { allowed: true, destructive: true } });
  await check(row);
});
