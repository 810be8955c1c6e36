import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openStore } from "../store/open-store.ts";
import { deleteRow, listRows } from "../store/rows.ts";
import { seedHubRow } from "./seed-hub-row.ts";

test("The hub's own row is created once for everyone, and stays deleted once deleted", async () => {
  await using stack = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-seed-"));
  stack.defer(() => rm(dataDir, { recursive: true }));
  const store = await openStore({ dataDir });
  stack.defer(() => store.close());

  await Promise.all([seedHubRow({ store, now: Date.now }), seedHubRow({ store, now: Date.now })]);
  const rows = await listRows(store.db);
  expect(rows).toMatchObject([{ connectorKey: "hub", label: "Hub", tags: ["everyone"] }]);

  await deleteRow(store.db, rows[0]?.id ?? "");
  await seedHubRow({ store, now: Date.now });
  expect(await listRows(store.db)).toEqual([]);
});
