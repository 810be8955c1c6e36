import { expect, test } from "bun:test";
import { createEnvelopeReceiver, type ReceiverDeps } from "./receive-envelope.ts";
import { fakeMessage } from "./testing/fake-chat.ts";

test("Runs of long messages are accepted in small portions", async () => {
  const row = { id: "row-1", slug: "team", connectorKey: "fakechat", tags: ["ops"] };
  const trigger = { id: "said", type: "channel" };
  let inFlight = 0;
  let inFlightMax = 0;
  const deps = {
    directory: {
      current: async () => ({ rows: [row], find: () => row, isTypeDisabled: () => false }),
    },
    triggers: {
      findMatching: async () => [{ workflowId: "w1", triggerId: "said", channel: "team" }],
    },
    openWorkflows: async () => ({
      directory: { find: async () => ({ enabled: true, publishedBodyId: "b1", version: 1 }) },
      engine: {
        plans: { load: async () => ({ body: { triggers: [trigger] } }) },
        async accept() {
          inFlight += 1;
          inFlightMax = Math.max(inFlightMax, inFlight);
          await new Promise((resolve) => setImmediate(resolve));
          inFlight -= 1;
          return { acceptance: { kind: "queued" } };
        },
      },
    }),
    findCaller: async () => ({ userId: "u1", role: "admin", tags: [] }),
    logFailure() {},
  } as unknown as ReceiverDeps;
  const { receive } = createEnvelopeReceiver(deps);
  const text = "x".repeat(100_000);
  const messages = Array.from({ length: 40 }, (_, at) => fakeMessage(`m${at}`, { text }));
  const received = await Promise.all(messages.map((message) => receive("row-1", message)));
  expect(received).toEqual(messages.map(() => ({ runs: 1 })));
  expect(inFlightMax).toBe(4);
});
