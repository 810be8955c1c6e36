import { expect, test } from "bun:test";
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from "kysely";
import { createListPadding } from "./pad-lists.ts";

const kysely = new Kysely<{ tags: { id: string; name: string } }>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
  plugins: [createListPadding()],
});

test("Lists of many lengths are few statements with the same meaning", () => {
  const toQuery = (ids: string[]) =>
    kysely.selectFrom("tags").select("name").where("id", "in", ids).compile();
  expect(toQuery(["a", "b", "c"]).parameters).toEqual(["a", "b", "c", "c"]);
  const powers = Array.from({ length: 10 }, (_, exponent) => 2 ** exponent);
  const lengths = [...powers.flatMap((power) => [power, power + 1, 2 * power - 1]), 1000];
  const lists = lengths.map((length) => Array(length).fill("a"));
  expect(new Set(lists.map((list) => toQuery(list).sql)).size).toBe(11);
});

test("Lists that are not compared stay as they are", () => {
  const values = ["a", "b", "c"].map((id) => ({ id, name: id }));
  const insert = kysely.insertInto("tags").values(values).compile();
  expect(insert.parameters).toEqual(["a", "a", "b", "b", "c", "c"]);
  const none = kysely.selectFrom("tags").select("name").where("id", "in", []).compile();
  expect(none.parameters).toEqual([]);
});
