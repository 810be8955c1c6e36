import { expect, test } from "bun:test";
import type { ToolEntry } from "@hub/contract/tool-entry.ts";
import { createKeptLists } from "./kept-lists.ts";
import type { CatalogueRow } from "./tool-catalogue.ts";

/** The cast is safe: a list reads nothing but the entries of a row. */
function toRow(name: string, count = 1): CatalogueRow {
  const entry = { tool_id: `conn:${name}/read`, connector: "HTTP", label: name, name: "Read" };
  const entries = Array<ToolEntry>(count).fill({ ...entry, description: "", destructive: false });
  return { entries: () => entries } as Pick<CatalogueRow, "entries"> as CatalogueRow;
}

const toAnswer = (entries: readonly ToolEntry[]) => entries.map(({ label }) => label);

test("Callers who see the same rows share one answer, and others have their own", async () => {
  const lists = createKeptLists();
  const [shop, post] = [toRow("Shop"), toRow("Post")];
  const both = await lists.get([shop, post], toAnswer);
  expect(both.value).toEqual(["Shop", "Post"]);
  expect(await lists.get([shop, post], toAnswer)).toBe(both);
  const one = await lists.get([shop], toAnswer);
  expect(one.value).toEqual(["Shop"]);
  expect((await lists.get([post], toAnswer)).value).toEqual(["Post"]);
  expect((await lists.get([post, shop], toAnswer)).value).toEqual(["Post", "Shop"]);
  expect(await lists.get([shop], toAnswer)).toBe(one);
});

test("A row that was made again, as after a change, is listed again", async () => {
  const lists = createKeptLists();
  const before = await lists.get([toRow("Shop")], toAnswer);
  const after = await lists.get([toRow("Shop", 2)], toAnswer);
  expect(before.value).toEqual(["Shop"]);
  expect(after.value).toEqual(["Shop", "Shop"]);
});

test("The list of a bound caller takes no place, since its rows are made for each request", async () => {
  const lists = createKeptLists();
  const shared = [toRow("Shop")];
  const kept = await lists.get(shared, toAnswer);
  for (let count = 0; count < 5; count += 1) {
    const part = { ...toRow("Part"), partOf: { whole: toRow("Whole"), places: [0] } };
    expect((await lists.get([toRow("Post"), part], toAnswer)).value).toEqual(["Post", "Part"]);
  }
  expect(await lists.get(shared, toAnswer)).toBe(kept);
});

test("The lists that were asked for last are kept, up to a number of entries", async () => {
  const lists = createKeptLists();
  const rows = ["a", "b", "c", "d", "e"].map((name) => [toRow(name)] as const);
  const answers = await Promise.all(rows.map((row) => lists.get(row, toAnswer)));
  const isKept = async (at: number) => (await lists.get(rows[at] ?? [], toAnswer)) === answers[at];
  expect(await isKept(4)).toBe(true);
  expect(await isKept(0)).toBe(false);
  const large = [toRow("large", 10_001)];
  const first = await lists.get(large, toAnswer);
  expect(await lists.get(large, toAnswer)).not.toBe(first);
  expect(await isKept(4)).toBe(true);
});
