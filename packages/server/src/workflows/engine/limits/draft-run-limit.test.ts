import { afterAll, beforeAll, expect, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { openEngine, type TestEngine } from "../testing/open-engine.ts";
import { trialMs } from "./draft-run-limit.ts";

let hub: TestEngine;
/** How far the clock of the engine is ahead. Only its looks for runs take real time. */
let aheadMs = 0;
const now = () => Date.now() + aheadMs;
beforeAll(async () => {
  hub = await openEngine(undefined, () => ({ now }));
});
afterAll(() => hub[Symbol.asyncDispose]());

const start = { id: "start", type: "manual" as const, entry: "first" };
const waiting: WorkflowBodyInput = {
  triggers: [start],
  nodes: [
    { id: "first", type: "wait", seconds: 3600 },
    { id: "later", type: "set", value: 1 },
  ],
  edges: [{ from: "first", to: "later" }],
};

test("A trial that waits ends at its time, before its wait is over", async () => {
  const context = { endsAt: now() + trialMs };
  const runId = await hub.run(hub.addWorkflow(waiting), { version: null, context });
  expect(await hub.untilParked(runId)).toMatchObject({ state: "waiting" });
  aheadMs += trialMs;
  await hub.ended(runId);
  const run = await hub.read(runId);
  expect(run).toMatchObject({ state: "failed", error: { code: "timeout" } });
  expect(run.steps.map(({ nodeId, state }) => [nodeId, state])).toEqual([["first", "cancelled"]]);
});

test("A trial that waits is due when it ends, not when its wait is over", async () => {
  const endsAt = now() + trialMs;
  const context = { endsAt };
  const runId = await hub.run(hub.addWorkflow(waiting), { version: null, context });
  expect(await hub.untilParked(runId)).toMatchObject({ state: "waiting", dueAt: endsAt });
});

test("A trial that was queued until its end starts no step", async () => {
  const workflow = hub.addWorkflow({
    ...waiting,
    nodes: [{ id: "first", type: "set", value: 1 }],
    edges: [],
  });
  const runId = await hub.run(workflow, { version: null, context: { endsAt: now() - 1 } });
  await hub.ended(runId);
  const run = await hub.read(runId);
  expect([run.state, run.steps]).toEqual(["failed", []]);
});

test("A trial schedules no run and says so", async () => {
  const workflow = hub.addWorkflow({
    triggers: [start, { id: "at", type: "schedule_at", entry: "first" }],
    nodes: [{ id: "first", type: "set", value: { schedule_at: "2099-01-01T00:00:00Z" } }],
  });
  const context = { endsAt: now() + trialMs };
  const runId = await hub.run(workflow, { version: null, context });
  await hub.ended(runId);
  const { steps } = await hub.read(runId);
  expect(steps[0]?.warnings).toContain("No run was scheduled");
});
