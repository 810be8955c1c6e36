/** Protects: one user's many calls in one message do not make other users wait. */
import { expect, test } from "bun:test";
import { ada, ben } from "../../mcp/testing/open-test-mcp.ts";
import { createInnerCalls } from "../../operations/batches/inner-calls.ts";
import type { CallContext } from "../../operations/operations.ts";
import { createRequestQueue } from "../queue/request-queue.ts";
import { toUserQueueKey } from "../queue/request-queue-keys.ts";

test("The calls of many messages wait in the lane of their user, and another user's request passes them", async () => {
  const queue = createRequestQueue();
  const { signal } = new AbortController();
  let begun = 0;
  const ctx: CallContext = {
    caller: ada,
    origin: { source: "mcp", ip: null, userAgent: null },
    signal,
    waitForTurn: (own) => queue.waitForLane(toUserQueueKey(ada.userId), () => own),
  };
  const calls = {
    async call() {
      begun += 1;
      return { value: null, text: "null", runId: "run" };
    },
  };
  const answers = Array.from({ length: 40 }, (_, message) => {
    const inner = createInnerCalls({ calls }, ctx, { kind: "batch", id: `${message}` });
    return Array.from({ length: 5 }, () => inner.call({ toolId: "x", params: {} }));
  }).flat();
  while (begun === 0) await new Promise((resolve) => setImmediate(resolve));
  const before = begun;
  expect(queue.countWaiting()).toBeGreaterThan(100);
  await queue.waitForLane(toUserQueueKey(ben.userId), () => signal);
  // A few begin in each turn of the event loop.
  expect(begun - before).toBeLessThanOrEqual(8);
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses).toEqual(Array(200).fill("success"));
});
