/** Protects: nothing runs unasked, nothing runs twice, and what ran is what was shown. `scripts/try-pending-calls.ts` is longer. */
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { tryPendingCalls } from "./testing/pending-trial.ts";

test("Random steps of users, approvers, admins, clocks and dying servers agree with the model", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "hub-trial-"));
  await using owned = new AsyncDisposableStack();
  owned.defer(() => rm(dataDir, { recursive: true }));
  const first = await openTestStore({ dataDir });
  owned.defer(() => first.close());
  const second = await openTestStore({ dataDir });
  owned.defer(() => second.close());
  const { runs } = await tryPendingCalls({ stores: [first, second], steps: 250, seed: 7 });
  expect(runs).toBeGreaterThan(5);
});
