import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createKeptStatements, type KeptStatements } from "./kept-statements.ts";

let database: Database;
let statements: KeptStatements;
/** The texts that were prepared, in their order. */
let prepared: string[];

beforeEach(() => {
  database = new Database(":memory:");
  database.run("create table notes (id integer primary key, text text)");
  prepared = [];
  const prepare: Database["prepare"] = (text: string) => {
    prepared.push(text);
    return database.prepare(text);
  };
  statements = createKeptStatements({ prepare });
});
afterEach(() => {
  statements[Symbol.dispose]();
  // Throws if a statement was not finalized.
  database.close(true);
});

type Note = { id: number; text: string };

const insert = (text: string) =>
  statements.use<Note, Note[]>("insert into notes (text) values (?) returning *", [text], (each) =>
    each.all(text),
  );
const select = (number: number) =>
  statements.use<Note, Note[]>(`select ${number} as id`, [], (each) => each.all());

test("A statement that runs again is prepared once, and runs with its new values", () => {
  expect([insert("one"), insert("two")].flat()).toEqual([
    { id: 1, text: "one" },
    { id: 2, text: "two" },
  ]);
  expect(prepared).toHaveLength(1);
});

test("Of many statements, those that ran last are kept", () => {
  for (let number = 0; number < 200; number += 1) select(number);
  select(0);
  select(200);
  prepared = [];
  select(0);
  select(1);
  expect(prepared).toEqual(["select 1 as id"]);
});

test("A statement with large values is not kept, so that they do not stay in memory", () => {
  insert("x".repeat(20_000));
  insert("y");
  insert("z");
  expect(prepared).toHaveLength(2);
});

test("A statement that failed does not fail again, and holds no lock", () => {
  const add = (id: number) =>
    statements.use("insert into notes (id) values (?)", [id], (each) => each.run(id));
  add(1);
  expect(() => add(1)).toThrow("UNIQUE");
  database.run("begin");
  add(2);
  database.run("commit");
  expect(select(7)).toMatchObject([{ id: 7 }]);
});

test("A kept statement sees a column that was added meanwhile", () => {
  const read = () =>
    statements.use<Note, Note[]>("select * from notes", [], (each) => each.all()).at(0);
  insert("one");
  expect(read()).toEqual({ id: 1, text: "one" });
  database.run("alter table notes add column more text default 'new'");
  expect<object | undefined>(read()).toEqual({ id: 1, text: "one", more: "new" });
});
