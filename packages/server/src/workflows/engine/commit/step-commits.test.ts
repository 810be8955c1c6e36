import { expect, test } from "bun:test";
import { systemTimers } from "../../../lib/time/timers.ts";
import { newStep } from "../../../store/test-data.ts";
import { openEngine } from "../testing/open-engine.ts";
import type { RunCommit } from "./run-commits.ts";
import { createStepCommits } from "./step-commits.ts";

/** Commits that end when the test says so. */
function openCommits() {
  const asked: RunCommit[] = [];
  const ends: Array<(result: Error | null) => void> = [];
  const timers: Array<{ delayMs: number; action(): void; isStopped: boolean }> = [];
  let time = 1_000;
  const commit = (given: RunCommit) => {
    asked.push(given);
    return new Promise<{ acceptances: []; next: null }>((resolve, reject) => {
      ends.push((err) => (err === null ? resolve({ acceptances: [], next: null }) : reject(err)));
    });
  };
  const after = (delayMs: number, action: () => void) => {
    const timer = { delayMs, action, isStopped: false };
    timers.push(timer);
    return () => {
      timer.isStopped = true;
    };
  };
  const commits = createStepCommits({ commit }, { timers: { after }, now: () => time });
  const listNodes = () => asked.map(({ steps = [] }) => steps.map(({ nodeId }) => nodeId));
  const pass = (ms: number) => {
    time += ms;
  };
  return { commits, ends, timers, listNodes, pass };
}

const step = (nodeId: string, given = {}) => newStep({ nodeId, ...given });
const turns = () => new Promise<void>((resolve) => setImmediate(resolve));

test("A deferred step is stored with the next commit, before its steps", async () => {
  const { commits, ends, timers, listNodes } = openCommits();
  await commits.defer(step("a"));
  await commits.defer(step("b"));
  expect(listNodes()).toEqual([]);
  const committed = commits.commit({ steps: [step("c")] });
  await turns();
  expect(listNodes()).toEqual([["a", "b", "c"]]);
  ends[0]?.(null);
  await committed;
  await commits.flush();
  expect(listNodes()).toHaveLength(1);
  expect(timers.map(({ isStopped }) => isStopped)).toEqual([true]);
});

test("A deferred step is stored after a tenth of a second, if nothing else is", async () => {
  const { commits, timers, listNodes } = openCommits();
  await commits.defer(step("a"));
  expect(timers.map(({ delayMs }) => delayMs)).toEqual([100]);
  timers[0]?.action();
  await turns();
  expect(listNodes()).toEqual([["a"]]);
});

test("A run with long or large computations stores its steps and yields to other runs", async () => {
  const { commits, ends, listNodes, pass } = openCommits();
  await commits.defer(step("a"));
  pass(6);
  const slow = commits.defer(step("b"));
  await turns();
  expect(listNodes()).toEqual([["a", "b"]]);
  ends[0]?.(null);
  await slow;
  const large = commits.defer(step("c", { output: JSON.stringify("x".repeat(300_000)) }));
  await turns();
  expect(listNodes()).toEqual([["a", "b"], ["c"]]);
  ends[1]?.(null);
  await large;
});

test("Steps that depend on deferred steps are not stored before them", async () => {
  const { commits, ends, listNodes } = openCommits();
  await commits.defer(step("a"));
  const carrying = commits.commit({ steps: [step("aside")] });
  const next = commits.commit({ steps: [step("after a")] });
  const flushed = commits.flush();
  await turns();
  expect(listNodes()).toEqual([["a", "aside"]]);
  ends[0]?.(null);
  await Promise.all([carrying, flushed]);
  await turns();
  expect(listNodes()).toEqual([["a", "aside"], ["after a"]]);
  ends[1]?.(null);
  await next;
});

test("A run whose deferred steps could not be stored says so at its next commit, which stores nothing", async () => {
  const { commits, ends, timers, listNodes } = openCommits();
  await commits.defer(step("a"));
  timers[0]?.action();
  await turns();
  const next = commits.commit({ steps: [step("b")] });
  ends[0]?.(new Error("lost"));
  await expect(next).rejects.toThrow("lost");
  await expect(commits.commit({ steps: [step("c")] })).rejects.toThrow("lost");
  expect(listNodes()).toEqual([["a"]]);
});

test.each([
  ["none", ["check", "big", "call"], []],
  ["repeatable", ["check", "big", "call"], ["check", "big"]],
  ["once", ["check", "big", "call"], ["check", "big", "call"]],
] as const)("Before a call with the effects %p, what it follows from is on disk if it can change something", async (effects, all, before) => {
  const seen: string[][] = [];
  const never = () => () => {};
  const deps = {
    now: () => 1_700_000_000_000,
    timers: {
      ...systemTimers,
      // No step is stored because time has passed.
      after: (ms: number, action: () => void) =>
        ms === 100 ? never() : systemTimers.after(ms, action),
    },
  };
  await using hub = await openEngine(
    (ctx) => ({
      input: {},
      effects,
      async run() {
        const run = await hub.read(ctx.run.id);
        seen.push(run.steps.map(({ nodeId }) => nodeId));
        return { kind: "done", output: 1 };
      },
    }),
    () => deps,
  );
  const workflow = hub.addWorkflow({
    triggers: [{ id: "start", type: "manual", entry: "check" }],
    nodes: [
      { id: "check", type: "branch", conditions: [{ left: 1, op: "eq", right: 1 }] },
      { id: "big", type: "set", value: "{{.Node.check}}" },
      { id: "call", type: "operation", tool_id: "conn:1/send" },
    ],
    edges: [
      { from: "check", to: "big", case: "true" },
      { from: "big", to: "call" },
    ],
  });
  const run = await hub.untilParked(await hub.run(workflow));
  expect(seen).toEqual([[...before]]);
  expect(run.steps.map(({ nodeId }) => nodeId)).toEqual([...all]);
  expect(run).toMatchObject({ state: "succeeded", outputs: { check: true, big: true, call: 1 } });
});
