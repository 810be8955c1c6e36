import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transaction } from "../../store/database/database.ts";
import {
  replaceRowOperations,
  type StoredOperation,
} from "../../store/rows/row-operations-table.ts";
import { insertRow } from "../../store/rows/rows-table.ts";
import { newRow } from "../../store/test-data.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { createRowOperationCache } from "./row-operation-cache.ts";

function toStored(at: number): StoredOperation {
  return {
    key: `op_${at}`,
    sourceName: `Op ${at}`,
    approvedAt: 1,
    pending: null,
    goneAt: null,
    definition: {
      name: `Op ${at}`,
      description: "",
      destructive: false,
      idempotent: false,
      inputSchema: '{"type":"object"}',
      outputSchema: null,
      binding: "null",
    },
  };
}

test("Loads of a large row at the same time give the same operations, until they change", async () => {
  await using owned = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-cache-"));
  owned.defer(() => rm(dataDir, { recursive: true }));
  const { db, close } = await openTestStore({ dataDir });
  owned.defer(close);
  const { id } = await insertRow(db, newRow());
  const operations = Array.from({ length: 1_000 }, (_, at) => toStored(at));
  await transaction(db, (trx) =>
    replaceRowOperations(trx, id, { operationsId: "one", before: [], operations }, Date.now()),
  );
  const cache = createRowOperationCache();
  const load = () => cache.load(db, id, "one");
  const [first, ...others] = await Promise.all([load(), load(), load()]);
  expect(first.size).toBe(1_000);
  for (const other of [...others, await load()]) expect(other).toBe(first);
  expect(await cache.load(db, id, "two")).not.toBe(first);
});
