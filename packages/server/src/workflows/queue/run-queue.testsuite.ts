import { expect, test } from "bun:test";
import type { OpenStep } from "../engine/step/open-step.ts";
import { openEngine } from "../engine/testing/open-engine.ts";
import type { RunQueue } from "./run-queue.ts";

const body = {
  triggers: [{ id: "start", type: "manual" as const, entry: "a" }],
  nodes: [
    { id: "a", type: "operation" as const, tool_id: "conn:1/send" },
    { id: "b", type: "operation" as const, tool_id: "conn:1/send" },
  ],
  edges: [{ from: "a", to: "b" }],
};

/** Operations that note the nodes that they ran for. */
function operations() {
  const ran: string[] = [];
  const operation: OpenStep<"operation"> = ({ nodeId }) => ({
    input: null,
    effects: "none",
    async run() {
      ran.push(nodeId);
      return { kind: "done", output: nodeId };
    },
  });
  return { ran, operation };
}

/** A queue whose signals are all lost. */
const lostQueue: RunQueue = {
  offer() {},
  consume() {},
  async close() {},
};

/** How runs get from one server to another, with the queue of the database that `openEngine` uses. */
export function testRunQueue(): void {
  test("A run that finds no capacity in its server runs in another one", async () => {
    const { ran, operation } = operations();
    await using hub = await openEngine(operation);
    const full = await hub.openServer({ activeMax: 0 });
    const runId = await hub.run(hub.addWorkflow(body), {}, full);
    await hub.ended(runId);
    expect(ran).toEqual(["a", "b"]);
  });

  test("A run that is offered to several servers many times runs once", async () => {
    const { ran, operation } = operations();
    await using hub = await openEngine(operation, ({ queue }) => ({
      queue: {
        ...queue,
        offer(runs) {
          for (let index = 0; index < 100; index += 1) queue.offer(runs);
        },
      },
    }));
    const full = await hub.openServer({ activeMax: 0 });
    await hub.openServer();
    const workflow = hub.addWorkflow({ ...body, settings: { queue: { runs_at_once: 100 } } });
    const started = Array.from({ length: 20 }, () => hub.run(workflow, {}, full));
    for (const runId of await Promise.all(started)) await hub.ended(runId);
    expect(ran.toSorted().join("")).toBe(`${"a".repeat(20)}${"b".repeat(20)}`);
  });

  test("A run whose signal is lost is found by the next look", async () => {
    const { ran, operation } = operations();
    await using hub = await openEngine(operation);
    const full = await hub.openServer({ activeMax: 0, queue: lostQueue });
    await hub.ended(await hub.run(hub.addWorkflow(body), {}, full));
    expect(ran).toEqual(["a", "b"]);
  });

  test("A scheduled run starts in another server if its own has stopped", async () => {
    const { ran, operation } = operations();
    await using hub = await openEngine(operation);
    const first = await hub.openServer();
    const at = { scheduledAt: Date.now() + 300 };
    const runId = await hub.run(hub.addWorkflow(body), at, first);
    await first.stop();
    await hub.ended(runId);
    expect(ran).toEqual(["a", "b"]);
    expect((await hub.read(runId)).startedAt).toBeGreaterThanOrEqual(at.scheduledAt);
  });
}
