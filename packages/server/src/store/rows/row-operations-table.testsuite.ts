import { expect, test } from "bun:test";
import { transaction } from "../database/database.ts";
import { readBindings } from "../runs/request-starts.ts";
import { newRow } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import {
  findRowDiscovery,
  listRowsToDiscover,
  storeRowDiscovery,
} from "./row-discoveries-table.ts";
import {
  listRowOperations,
  replaceRowOperations,
  type StoredOperation,
} from "./row-operations-table.ts";
import { deleteRow, findRow, insertRow, updateRow } from "./rows-table.ts";

function newOperation(key: string, given: Partial<StoredOperation> = {}): StoredOperation {
  return {
    key,
    sourceName: `source ${key}`,
    definition: {
      name: key,
      description: "Does it.",
      destructive: true,
      idempotent: false,
      inputSchema: '{"type":"object"}',
      outputSchema: null,
      binding: "null",
    },
    approvedAt: null,
    pending: null,
    goneAt: null,
    ...given,
  };
}

/** The operations that rows bring. */
export function describeRowOperations(stores: () => TestStores): void {
  test("Operations of a row are read in their order, with what waits for a review", async () => {
    const { db } = stores().store;
    const { id, operationsId, version } = await insertRow(db, newRow());
    expect(operationsId).toBeNull();
    const first = newOperation("zeta", { approvedAt: 5, goneAt: 7, reads: true });
    const pending = { ...first.definition, description: "Does more.", outputSchema: "{}" };
    const second = newOperation("alpha", { approvedAt: 5, pending });
    const many = Array.from({ length: 250 }, (_, index) => newOperation(`op_${index}`));
    const operations = [first, second, ...many];
    const store = (operationsId: string, list: StoredOperation[]) =>
      transaction(db, async (trx) => {
        const before = await listRowOperations(trx, id);
        const replacement = { operationsId, before, operations: list };
        return await replaceRowOperations(trx, id, replacement, Date.now());
      });
    expect(await store("one", operations)).toBe(true);
    expect(await listRowOperations(db, id)).toEqual(operations);
    expect(await findRow(db, id)).toMatchObject({ operationsId: "one", version: version + 1 });
    const renamed = { ...second, definition: { ...second.definition, name: "Alpha" } };
    const added = newOperation("added");
    for (const list of [[second], [added, renamed], [renamed, added, ...many], [second]]) {
      await store("two", list);
      expect(await listRowOperations(db, id)).toEqual(list);
    }
    expect(await findRow(db, id)).toMatchObject({ operationsId: "two" });
  });

  test("Bindings are read for the named operations of the named rows, and for no others of these", async () => {
    const { db } = stores().store;
    const toOperation = (key: string, binding = `{"of":"${key}"}`) => {
      const operation = newOperation(key);
      return { ...operation, definition: { ...operation.definition, binding } };
    };
    const operations = [
      toOperation("one"),
      toOperation("two"),
      toOperation("large", "x".repeat(16_385)),
    ];
    const rows = [await insertRow(db, newRow()), await insertRow(db, newRow())] as const;
    for (const { id } of rows) {
      const replacement = { operationsId: "x", before: [], operations };
      await transaction(db, (trx) => replaceRowOperations(trx, id, replacement, Date.now()));
    }
    const [first, second] = rows;
    const called = [
      { row: first.id, operation: "one" },
      { row: first.id, operation: "one" },
      { row: first.id, operation: "large" },
      { row: second.id, operation: "two" },
      { row: second.id, operation: "gone" },
    ];
    const found = await readBindings(db, called);
    expect([...found].sort()).toEqual(
      [
        [`${first.id}/one`, '{"of":"one"}'] as [string, string],
        [`${second.id}/two`, '{"of":"two"}'] as [string, string],
      ].sort(),
    );
    expect(await readBindings(db, [])).toEqual(new Map());
  });

  test("Operations that are as before are not written again", async () => {
    const { db } = stores().store;
    const { id } = await insertRow(db, newRow());
    const [one, two] = [newOperation("one"), newOperation("two")];
    const store = (before: StoredOperation[], operations: StoredOperation[]) =>
      transaction(db, (trx) =>
        replaceRowOperations(trx, id, { operationsId: "x", before, operations }, Date.now()),
      );
    await store([], [one, two]);
    // What is said to be stored differs from what is, so a write of it would show.
    const told = newOperation("one", { approvedAt: 9 });
    await store([told, two], [told, newOperation("two", { approvedAt: 7 })]);
    expect(await listRowOperations(db, id)).toEqual([one, newOperation("two", { approvedAt: 7 })]);
  });

  test("Replaced operations increment the revision, and end with their row", async () => {
    const { db, reads } = stores().store;
    const { id } = await insertRow(db, newRow());
    const before = await reads.readRevision();
    const operations = [newOperation("one")];
    const replace = () =>
      transaction(db, (trx) =>
        replaceRowOperations(trx, id, { operationsId: "x", before: [], operations }, Date.now()),
      );
    await replace();
    expect(await reads.readRevision()).toBeGreaterThan(before);
    await deleteRow(db, id);
    expect(await listRowOperations(db, id)).toEqual([]);
    expect(await replace()).toBe(false);
  });

  test("Rows are discovered again in the order of their last try, unless a document was given", async () => {
    const { db } = stores().store;
    const ids = [];
    for (const triedAt of [3, 1, 2, 0, 9]) {
      const { id } = await insertRow(db, newRow());
      ids.push(id);
      const isFromDocument = triedAt === 0;
      const leftOut = [{ sourceName: "a", reason: "b" }];
      const discovery = { triedAt, discoveredAt: null, isFromDocument, failure: "down", leftOut };
      await transaction(db, (trx) => storeRowDiscovery(trx, id, discovery));
      expect(await findRowDiscovery(db, id)).toEqual(discovery);
    }
    const [third, first, second] = ids;
    const due = await listRowsToDiscover(db, { before: 5, limit: 10 });
    expect(due).toEqual([first, second, third].map(String));
    await updateRow(db, String(first), { disabled: true }, Date.now());
    expect(await listRowsToDiscover(db, { before: 5, limit: 1 })).toEqual([String(second)]);
    expect(await findRowDiscovery(db, crypto.randomUUID())).toBeNull();
  });
}
