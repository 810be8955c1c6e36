import { expect, test } from "bun:test";
import { findCircles, findComponents } from "../scripts/check-circles.ts";
import { findLevelFaults } from "../scripts/check-levels.ts";
import { findFaults, findTransactionFaults } from "../scripts/check-transactions.ts";

test("Every import is from a lower level or from the same folder", async () => {
  expect(await findLevelFaults()).toEqual([]);
});

test("No files import each other in a circle", async () => {
  expect(await findCircles()).toEqual([]);
});

test("A circle of imports is found, without the files that lead to it or from it", () => {
  const imports = { a: ["b"], b: ["c"], c: ["d", "b"], d: ["outside"] };
  expect(findComponents(new Map(Object.entries(imports)))).toEqual([["a"], ["b", "c"], ["d"]]);
});

test("No transaction uses a clock, random numbers, files or the network", async () => {
  expect(await findTransactionFaults()).toEqual([]);
});

test.each([
  ["the clock", "async (trx) => { await touch(trx, Date.now()); }"],
  ["random numbers", "(trx) => insert(trx, crypto.randomUUID())"],
  ["files and keys", "async (trx) => seal(await ring.reload())"],
  ["the network", "async () => { await fetch(url); }"],
  ["the database itself", "async () => { await list(store.db); }"],
])("A transaction that uses %s is found", (what, callback) => {
  const faults = findFaults("a.ts", `\nawait transaction(store.db, ${callback});`);
  expect(faults).toEqual([expect.stringContaining(`a.ts:2: a transaction uses ${what} (`)]);
});
