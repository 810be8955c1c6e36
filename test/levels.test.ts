import { expect, test } from "bun:test";
import { findLevelFaults } from "../scripts/check-levels.ts";
import { findFaults, findTransactionFaults } from "../scripts/check-transactions.ts";

test("Every import is from a lower level or from the same folder", async () => {
  expect(await findLevelFaults()).toEqual([]);
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
