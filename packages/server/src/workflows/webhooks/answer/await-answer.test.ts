import { expect, test } from "bun:test";
import { systemTimers } from "../../../lib/time/timers.ts";
import { createKeyRing } from "../../../secrets/keys/key-ring.ts";
import { sealValue } from "../../../secrets/value-tokens/value-tokens.ts";
import { openEngine, owner } from "../../engine/testing/open-engine.ts";
import { awaitAnswer } from "./await-answer.ts";

test.each([
  "last_node",
  "respond_node",
] as const)("The wait in %s mode ends with `timeout` after 30 seconds, and no sooner", async (mode) => {
  await using test = await openEngine();
  const workflow = test.addWorkflow({
    triggers: [{ id: "hook", type: "webhook", entry: "nap", respond_mode: mode }],
    nodes: [{ id: "nap", type: "wait", seconds: 3600 }],
    edges: [],
  });
  const runId = await test.run(workflow);
  await test.untilParked(runId);
  const timers: { delayMs: number; action: () => void }[] = [];
  const after = (delayMs: number, action: () => void) => {
    timers.push({ delayMs, action });
    return () => {};
  };
  const deps = { reads: test.store.reads, watch: test.engine.watch, timers: { after } };
  const answer = awaitAnswer(deps, { runId, mode });
  expect(timers.map(({ delayMs }) => delayMs)).toEqual([30_000]);
  timers[0]?.action();
  await expect(answer).rejects.toMatchObject({ code: "timeout", detail: { run_id: runId } });
  expect(test.engine.watch.list()).toEqual([]);
});

test("The answer of a run that ends between two reads of the database is found", async () => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await using test = await openEngine(async () => ({
    input: null,
    effects: "none" as const,
    isCall: true as const,
    async run() {
      await released;
      return { kind: "done" as const, output: 1 };
    },
  }));
  const workflow = test.addWorkflow({
    triggers: [{ id: "hook", type: "webhook", entry: "work", respond_mode: "respond_node" }],
    nodes: [
      { id: "work", type: "operation", tool_id: "conn:x/y", params: {} },
      { id: "say", type: "webhook_respond", respond_body: "done" },
    ],
    edges: [{ from: "work", to: "say" }],
  });
  const runId = await test.run(workflow);
  const reads = {
    async readRunEnd(id: string) {
      const found = await test.store.reads.readRunEnd(id);
      release();
      await test.untilParked(id);
      return found;
    },
  };
  const deps = { reads, watch: test.engine.watch, timers: { after: () => () => {} } };
  const answer = await awaitAnswer(deps, { runId, mode: "respond_node" });
  expect(answer).toMatchObject({ status: 200, body: "done" });
});

test("The error of a failed run is answered without the tokens in it", async () => {
  await using test = await openEngine();
  const ring = createKeyRing([new Uint8Array(32).fill(7)]);
  const token = sealValue(ring, { userId: owner.userId, rowId: null }, "the key");
  const workflow = test.addWorkflow({
    triggers: [{ id: "hook", type: "webhook", entry: "stop", respond_mode: "last_node" }],
    nodes: [{ id: "stop", type: "fail", message: "The key {{.Event.Payload.key}} is wrong." }],
  });
  const runId = await test.run(workflow, { payload: { key: token } });
  await test.untilParked(runId);
  const deps = { reads: test.store.reads, watch: test.engine.watch, timers: systemTimers };
  await expect(awaitAnswer(deps, { runId, mode: "last_node" })).rejects.toMatchObject({
    code: "run_failed",
    message: "The key [secret] is wrong.",
  });
});

test("In respond_node mode, a run that fails before a respond node is 502, and its reason is there", async () => {
  await using test = await openEngine();
  const workflow = test.addWorkflow({
    triggers: [{ id: "hook", type: "webhook", entry: "stop", respond_mode: "respond_node" }],
    nodes: [
      { id: "stop", type: "fail", message: "No stock" },
      { id: "say", type: "webhook_respond", respond_body: "late" },
    ],
    edges: [{ from: "stop", to: "say" }],
  });
  const runId = await test.run(workflow);
  await test.untilParked(runId);
  const deps = { reads: test.store.reads, watch: test.engine.watch, timers: systemTimers };
  await expect(awaitAnswer(deps, { runId, mode: "respond_node" })).rejects.toMatchObject({
    code: "upstream_error",
    message: "The workflow ended without an answer: no webhook_respond node ran. No stock",
    detail: { run_id: runId },
  });
});

test("In respond_node mode, a run that is cancelled before a respond node is 502", async () => {
  await using test = await openEngine();
  const workflow = test.addWorkflow({
    triggers: [{ id: "hook", type: "webhook", entry: "nap", respond_mode: "respond_node" }],
    nodes: [
      { id: "nap", type: "wait", seconds: 3600 },
      { id: "say", type: "webhook_respond", respond_body: "late" },
    ],
    edges: [{ from: "nap", to: "say" }],
  });
  const runId = await test.run(workflow);
  await test.untilParked(runId);
  const deps = { reads: test.store.reads, watch: test.engine.watch, timers: systemTimers };
  const answer = awaitAnswer(deps, { runId, mode: "respond_node" });
  await test.engine.cancel(runId, "Not today");
  await expect(answer).rejects.toMatchObject({ code: "upstream_error", detail: { run_id: runId } });
});

test("In respond_node mode, a run that fails after a respond node keeps its answer", async () => {
  await using test = await openEngine();
  const workflow = test.addWorkflow({
    triggers: [{ id: "hook", type: "webhook", entry: "say", respond_mode: "respond_node" }],
    nodes: [
      { id: "say", type: "webhook_respond", respond_body: "first" },
      { id: "stop", type: "fail", message: "No stock" },
    ],
    edges: [{ from: "say", to: "stop" }],
  });
  const runId = await test.run(workflow);
  await test.untilParked(runId);
  const deps = { reads: test.store.reads, watch: test.engine.watch, timers: systemTimers };
  const answer = await awaitAnswer(deps, { runId, mode: "respond_node" });
  expect(answer).toMatchObject({ status: 200, body: "first" });
});
