import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deleteRow, listRows } from "../../store/rows/rows-table.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { seedOwnRows } from "./seed-own-rows.ts";

test("The hub's own rows are created once for everyone, and stay deleted once deleted", async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-seed-"));
  stack.defer(() => rm(dataDir, { recursive: true }));
  const store = await openTestStore({ dataDir });
  stack.defer(() => store.close());

  await Promise.all([seedOwnRows({ store, now: Date.now }), seedOwnRows({ store, now: Date.now })]);
  const rows = await listRows(store.db);
  expect(rows).toMatchObject([
    { connectorKey: "hub", label: "Hub", tags: ["everyone"] },
    { connectorKey: "workflow", label: "Workflows", tags: ["everyone"] },
  ]);

  for (const { id } of rows) await deleteRow(store.db, id);
  await seedOwnRows({ store, now: Date.now });
  expect(await listRows(store.db)).toEqual([]);
});
