/** Protects: no approved call runs for a user whom the single sign-on provider does not confirm. */
import { expect, test } from "bun:test";
import { openAskedHub } from "../operations/pending/testing/open-asked-hub.ts";
import { testUserId } from "../operations/testing/open-test-operations.ts";
import { newUser } from "../store/test-data.ts";
import { insertUser } from "../store/users/users-table.ts";
import { createApprovedJob } from "./approved-job.ts";

test("An approved call waits while the provider does not confirm its user, and runs afterwards", async () => {
  await using owned = new AsyncDisposableStack();
  const hub = await openAskedHub();
  owned.defer(() => hub.close());
  await insertUser(hub.db, newUser({ id: testUserId, tags: ["team"] }));
  const rowId = await hub.addAskedRow({ runsOnApproval: true });
  await hub.decide(await hub.ask(rowId, { text: "hello" }), "approved");
  const asked: string[] = [];
  const run = async (refusal: string | null) => {
    const admit = (userId: string) => {
      asked.push(userId);
      return refusal;
    };
    const parts = { store: hub.store, operations: hub.operations, watch: { admit } };
    await createApprovedJob({ ...parts, now: () => Date.now() }).run(() => false);
  };
  await run("Your sign-in has ended.");
  expect([asked, hub.sent]).toEqual([[testUserId], []]);
  await run(null);
  expect(hub.sent).toEqual(["hello"]);
});
