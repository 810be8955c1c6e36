/** Protects: a workflow that asks often keeps no client of its owner from asking, and the reverse. */
import { afterEach, expect, test } from "bun:test";
import { insertTestPendingCall } from "../../store/testing/new-pending-call.ts";
import { pendingLimits } from "./pending-limits.ts";
import { openAskedHub } from "./testing/open-asked-hub.ts";

let hub: Awaited<ReturnType<typeof openAskedHub>>;
afterEach(() => hub.close());

async function fill(kind: string): Promise<void> {
  const { userId } = hub.toContext().caller;
  const times = { createdAt: Date.now(), expiresAt: Date.now() + 3_600_000 };
  for (let n = 0; n < pendingLimits.openOfUser; n += 1) {
    await insertTestPendingCall(hub.db, { userId, principal: `${kind}:${n}`, ...times });
  }
}

test("The questions of a user's workflows and those of the user's clients are counted apart", async () => {
  hub = await openAskedHub({ principal: { kind: "token", id: "t" } });
  const rowId = await hub.addAskedRow();
  await fill("workflow");
  const asked = await hub.ask(rowId, { text: "a client's" });
  expect(await hub.findState(asked)).toBe("open");
});

test("A client whose user has the most open questions is refused, and told which limit it is", async () => {
  hub = await openAskedHub({ principal: { kind: "token", id: "t" } });
  const rowId = await hub.addAskedRow();
  await fill("grant");
  await expect(hub.call(rowId, { text: "one more" })).rejects.toMatchObject({
    code: "rate_limited",
    message: expect.stringContaining("20 calls of this user wait for a decision already"),
  });
});

test("A workflow whose owner has the most open questions of workflows is refused as such", async () => {
  hub = await openAskedHub({ principal: { kind: "workflow", id: "run" } });
  const rowId = await hub.addAskedRow();
  await fill("grant");
  await hub.ask(rowId, { text: "beside those of clients" });
  await fill("workflow");
  await expect(hub.call(rowId, { text: "one more" })).rejects.toMatchObject({
    code: "rate_limited",
    message: expect.stringContaining("20 calls of this user's workflows wait"),
  });
});
