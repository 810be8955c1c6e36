import { expect, test } from "bun:test";
import { HubError } from "../errors.ts";
import { createChannelHealthProblems } from "../workflows/channels/channel-health-problems.ts";
import {
  createEnvelopeReceiver,
  type EnvelopeOutcome,
  type ReceiverDeps,
} from "./receive-envelope.ts";
import { fakeMessage } from "./testing/fake-chat.ts";

const row = { id: "row-1", slug: "team", connectorKey: "fakechat", tags: ["ops"] };

/** A receiver whose workflows all match. `accept` stores a run of one of them. */
function createReceiver(
  workflowIds: string[],
  accept: (workflowId: string, starterIds: string[]) => Promise<unknown>,
) {
  const trigger = { id: "said", type: "channel" };
  const matching = workflowIds.map((workflowId) => ({
    workflowId,
    triggerId: "said",
    channel: "team",
  }));
  const outcomes: EnvelopeOutcome[] = [];
  const unreadable: [channel: string, reason: string][] = [];
  const problems = createChannelHealthProblems();
  const deps = {
    directory: {
      current: async () => ({ rows: [row], find: () => row, isTypeDisabled: () => false }),
    },
    triggers: { findMatching: async () => matching },
    openWorkflows: async () => ({
      directory: {
        find: async (id: string) => ({ id, enabled: true, publishedBodyId: "b1", version: 1 }),
      },
      engine: {
        plans: { load: async () => ({ body: { triggers: [trigger] } }) },
        async accept({ workflow, starterIds }: { workflow: { id: string }; starterIds: string[] }) {
          await accept(workflow.id, starterIds);
          return { acceptance: { kind: "queued" } };
        },
      },
    }),
    findLinkedUser: async (kind: string, { userId }: { userId: string }) =>
      kind === "fakechat" && userId === "linked" ? "u7" : null,
    findCaller: async () => ({ userId: "u1", role: "admin", tags: [] }),
    record: (_rowId: string, _envelope: unknown, outcome: EnvelopeOutcome) =>
      outcomes.push(outcome),
    logUnreadable: (channel: string, reason: string) => unreadable.push([channel, reason]),
    logFailure() {},
    problems,
    now: () => 0,
  } as unknown as ReceiverDeps;
  const { receive } = createEnvelopeReceiver(deps);
  return {
    receive: (id: string, text = "hi") => receive("row-1", fakeMessage(id, { text })),
    receiveFrom: (given: object) => receive("row-1", { ...fakeMessage("m1", {}), ...given }),
    outcomes,
    unreadable,
    problems,
  };
}

test("Runs of long messages are accepted in small portions", async () => {
  let inFlight = 0;
  let inFlightMax = 0;
  const { receive } = createReceiver(["w1"], async () => {
    inFlight += 1;
    inFlightMax = Math.max(inFlightMax, inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    inFlight -= 1;
  });
  const text = "x".repeat(100_000);
  const ids = Array.from({ length: 40 }, (_, at) => `m${at}`);
  const received = await Promise.all(ids.map((id) => receive(id, text)));
  expect(received).toEqual(ids.map(() => ({ runs: 1 })));
  expect(inFlightMax).toBe(3);
});

test("A workflow whose runs cannot be stored stops no others, and its events only for three deliveries", async () => {
  const accepted: string[] = [];
  const { receive, outcomes } = createReceiver(["broken", "whole"], async (id) => {
    if (id === "broken") throw new TypeError("A fault of the program");
    accepted.push(id);
  });
  await expect(receive("m1")).rejects.toMatchObject({ code: "unavailable" });
  await expect(receive("m1")).rejects.toMatchObject({ code: "unavailable" });
  expect(await receive("m1")).toEqual({ runs: 1 });
  expect(await receive("m2")).toEqual({ runs: 1 });
  expect(outcomes.map(({ failure }) => failure)).toEqual([
    "again",
    "again",
    "given_up",
    "given_up",
  ]);
  expect(accepted).toHaveLength(4);
});

test("While nothing can be stored, events are refused as often as they come, and the reason is kept", async () => {
  let isFull = true;
  const { receive, problems } = createReceiver(["w1"], async () => {
    if (isFull) throw new HubError("unavailable", "The disk is full.");
  });
  for (let time = 0; time < 5; time += 1) {
    await expect(receive("m1")).rejects.toMatchObject({ code: "unavailable" });
  }
  expect(problems.find("row-1")).toBe("The disk is full.");
  isFull = false;
  expect(await receive("m1")).toEqual({ runs: 1 });
  expect(problems.find("row-1")).toBeNull();
});

test("Events that wait are bounded by their size, and the rest is refused until the queue has capacity", async () => {
  const released = Promise.withResolvers<void>();
  const { receive } = createReceiver(["w1"], () => released.promise);
  const text = "x".repeat(1024 * 1024);
  const ids = Array.from({ length: 60 }, (_, at) => `m${at}`);
  const received = Promise.allSettled(ids.map((id) => receive(id, text)));
  const refused = expect(receive("one more", text)).rejects.toMatchObject({ code: "rate_limited" });
  released.resolve();
  await refused;
  const stored = (await received).filter(({ status }) => status === "fulfilled");
  expect(stored.length).toBeWithin(28, 33);
  expect(await receive("later", text)).toEqual({ runs: 1 });
});

test("A run is started by the user to whom the account of the sender is linked", async () => {
  const starters: string[][] = [];
  const { receiveFrom } = createReceiver(["w1"], async (_, ids) => starters.push(ids));
  const from = (userId: string) => ({ teamId: "T1", userId, userName: null });
  await receiveFrom({ id: "m1", from: "person", sender: from("linked") });
  await receiveFrom({ id: "m2", from: "person", sender: from("other") });
  await receiveFrom({ id: "m3", from: "bot", sender: from("linked") });
  await receiveFrom({ id: "m4", from: "person", sender: null });
  expect(starters).toEqual([["u7"], [], [], []]);
});

test("A delivery of an unknown form is acknowledged, recorded as a failure and logged, and starts no run", async () => {
  const { receiveFrom, outcomes, unreadable } = createReceiver(["w1"], async () => {
    throw new Error("A run was started");
  });
  expect(await receiveFrom({ unreadable: "Missing: event" })).toEqual({ runs: 0 });
  expect(outcomes).toEqual([{ runs: 0, failure: "unreadable" }]);
  expect(unreadable).toEqual([["team", "Missing: event"]]);
});
