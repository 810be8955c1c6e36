/** Protects: pending calls that are kept no longer are deleted, however many there are. */
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { insertTestPendingCalls, newPendingCall } from "../store/testing/new-pending-call.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { runSql } from "../store/testing/run-sql.ts";
import { createPendingPurgeJob } from "./keep-pending-calls.ts";

test("One round deletes all calls that are kept no longer, also more than one batch", async () => {
  await using owned = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), "hub-pending-"));
  owned.defer(() => rm(dataDir, { recursive: true }));
  const store = await openTestStore({ dataDir });
  owned.defer(() => store.close());
  const { db } = store;
  const old = Array.from({ length: 1_100 }, () => newPendingCall({ keepUntil: 9_000 }));
  const kept = newPendingCall({ keepUntil: 10_000 });
  for (const part of [old.slice(0, 550), old.slice(550), [kept]]) {
    await insertTestPendingCalls(db, part);
  }
  await createPendingPurgeJob({ db, now: () => 9_500 }).run();
  const left = await runSql(db, "select id from pending_calls");
  expect(left).toEqual([{ id: kept.id }]);
});
