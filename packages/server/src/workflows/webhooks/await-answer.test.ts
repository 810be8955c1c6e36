import { expect, test } from "bun:test";
import { openEngine } from "../engine/testing/open-engine.ts";
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
  await test.settle(runId);
  const timers: { delayMs: number; action: () => void }[] = [];
  const after = (delayMs: number, action: () => void) => {
    timers.push({ delayMs, action });
    return () => {};
  };
  const deps = { db: test.store.db, watch: test.engine.watch, timers: { after } };
  const answer = awaitAnswer(deps, { runId, mode });
  expect(timers.map(({ delayMs }) => delayMs)).toEqual([30_000]);
  timers[0]?.action();
  await expect(answer).rejects.toMatchObject({ code: "timeout", detail: { run_id: runId } });
  expect(test.engine.watch.list()).toEqual([]);
});
