/** Protects: a database that fails for a moment neither ends a task's question nor reaches the outside system. */
import { expect, test } from "bun:test";
import { askInTask } from "./ask-in-task.ts";

const question = { key: "question-1", request: { method: "elicitation/create", params: {} } };
const run = { id: "task", runId: "run" };
const timers = {
  now: () => 0,
  after(_: number, action: () => void) {
    queueMicrotask(action);
    return () => {};
  },
};
const fail = () => Promise.reject(new Error("relation pending_calls is away"));

test("An answer that cannot be read once is read again", async () => {
  const reported: unknown[] = [];
  const log = { error: (fields: unknown) => void reported.push(fields) };
  const reads = [fail, async () => undefined, async () => ({ action: "accept" })];
  const questions = {
    ask: async () => true,
    takeAnswer: () => (reads.shift() ?? fail)(),
    takeBack: async () => {},
  };
  const answer = await askInTask({ tasks: { questions }, timers, log }, run, question, () => {});
  expect(answer).toEqual({ action: "accept" });
  expect(reported).toHaveLength(1);
});

test("A question that cannot be stored has no answer, and its call is told nothing else", async () => {
  let asked = 0;
  const log = { error: () => {} };
  const questions = { ask: fail, takeAnswer: fail, takeBack: fail };
  const deps = { tasks: { questions }, timers, log };
  expect(await askInTask(deps, run, question, () => (asked += 1))).toBe(null);
  expect(asked).toBe(1);
});
