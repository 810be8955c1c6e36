import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { insertChange } from "../changes-table.ts";
import { transaction } from "../database/database.ts";
import { mergeInserts } from "../database/merge-inserts.ts";
import { findRow, insertRow, listRows, updateRow } from "../rows/rows-table.ts";
import { openTestStore } from "../testing/open-test-store.ts";
import { planChanges, storePlan } from "./plan-changes.ts";
import { findWrittenTable } from "./plan-dialect.ts";

const dataDir = await mkdtemp(join(tmpdir(), "hub-plan-"));
const store = await openTestStore({ dataDir });
afterAll(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

const toRow = (id: string) => ({
  id,
  connectorKey: "example",
  label: id,
  description: "",
  tags: ["dev"],
  createdAt: 1,
  values: [
    { key: "one", value: "1", sealed: null },
    { key: "two", value: "2", sealed: null },
  ],
});

test("A plan sees its own writes, stores nothing, and lets others write; then all of it is stored", async () => {
  const plan = await planChanges(store.db, Date.now(), async (trx) => {
    for (const id of ["a", "b", "c"]) await insertRow(trx, toRow(id));
    // Another writer does not wait for the plan.
    await transaction(store.db, async () => {});
    return await listRows(trx);
  });
  expect(plan.result.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  expect(await listRows(store.db)).toEqual([]);
  // One each for tags, rows, the beginnings of their ids, their tags, their values and the revision.
  expect(plan.statements.length).toBe(6);
  await storePlan(store.db, plan);
  expect(await listRows(store.db)).toEqual(plan.result);
});

test("A plan is refused with what has changed if a row changed meanwhile", async () => {
  await insertRow(store.db, toRow("row"));
  const plan = await planChanges(store.db, Date.now(), (trx) =>
    updateRow(trx, "row", { label: "planned" }, 2),
  );
  const id = Bun.randomUUIDv7();
  const changedAt = Date.now();
  await transaction(store.db, async (trx) => {
    await updateRow(trx, "row", { label: "other" }, 3);
    await insertChange(trx, {
      id,
      changedAt,
      actorId: "u",
      actor: "ada@x.y",
      via: "session",
      tokenId: null,
      ipAddress: null,
      action: "row.update",
      targetKind: "row",
      targetId: "row",
      target: "other",
      detail: "{}",
    });
  });
  const refused = await storePlan(store.db, plan).catch((err: unknown) => err);
  expect(refused).toMatchObject({
    code: "conflict",
    detail: { changed: [{ kind: "row", id: "row", action: "row.update", actor: "ada@x.y" }] },
  });
  expect((await findRow(store.db, "row"))?.label).toBe("other");
});

test("Inserts become one statement only between other statements, and once for each row they may update", () => {
  const insert = (table: string, value: number) => ({
    sql: `insert into "${table}" ("a") values (?) on conflict ("a") do update set "a" = "excluded"."a"`,
    parameters: [value],
  });
  const update = { sql: 'update "x" set "a" = ?', parameters: [9] };
  const given = [insert("x", 1), insert("y", 1), insert("x", 2), update, insert("x", 3)];
  expect(mergeInserts(given).map(({ parameters }) => parameters)).toEqual([[1, 2], [1], [9], [3]]);
  expect(mergeInserts([insert("x", 1), insert("x", 1)]).length).toBe(2);
});

test("The record of changes is written in one statement at the end, also between updates", () => {
  const change = (id: number) => ({
    sql: 'insert into "changes" ("id") values (?)',
    parameters: [id],
  });
  const update = (id: number) => ({
    sql: 'update "x" set "a" = 1 where "id" = ?',
    parameters: [id],
  });
  const revision = { sql: 'update "revision" set "value" = 1', parameters: [] };
  const given = [update(1), revision, change(1), update(2), revision, change(2)];
  expect(mergeInserts(given).map(({ parameters }) => parameters)).toEqual([[1], [2], [1, 2], []]);
});

test("A plan refuses a statement whose table it cannot find", () => {
  expect(findWrittenTable('select * from "users"')).toBe(null);
  expect(findWrittenTable('delete from "users"')).toBe("users");
  expect(() => findWrittenTable("with x as (select 1) insert into users select 1")).toThrow();
  expect(() => findWrittenTable("lock table users")).toThrow();
});
