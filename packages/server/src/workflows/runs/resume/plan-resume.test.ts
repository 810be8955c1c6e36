import { expect, test } from "bun:test";
import type { StepMark } from "../../../store/workflow-runs/workflow-steps.ts";
import { buildGraph } from "../../validation/graph/body-graph.ts";
import { toBody } from "../../validation/testing/sample-bodies.ts";
import { planResume } from "./plan-resume.ts";

const call = (id: string, more: object = {}) => ({
  id,
  type: "operation",
  tool_id: "conn:x/send",
  ...more,
});
const toPlan = (nodes: Record<string, unknown>[], edges = ["a>b", "b>c"]) => {
  const body = toBody(nodes, edges);
  return { bodyId: "b", body, graph: buildGraph(body), hasScheduleTrigger: false, tokens: [] };
};
const mark = (nodeId: string, state: StepMark["state"], flags: string | null = null) => ({
  nodeId,
  item: -1,
  position: 0,
  state,
  tries: 1,
  startedAt: 0,
  endedAt: 1,
  wakeAt: null,
  caseName: null,
  callRunId: null,
  childRunId: null,
  error: null,
  flags,
});
const off = { disabled: true };
const entry = { before: "a", after: "a" };

test("What a switched-off node has passed on is taken over, unless the node is on now", () => {
  const before = toPlan([call("a"), call("b", off), call("c")]);
  const steps = [mark("a", "succeeded"), mark("b", "skipped"), mark("c", "failed")];
  const same = planResume({ before, after: before, entry, steps, generations: {} });
  expect([[...same.taken], same.again]).toEqual([["a", "b"], ["c"]]);
  const after = toPlan([call("a"), call("b"), call("c")]);
  const on = planResume({ before, after, entry, steps, generations: {} });
  expect([[...on.taken], on.again]).toEqual([["a"], ["b", "c"]]);
});

test("A step that may have happened needs no decision if its node is switched off now", () => {
  const before = toPlan([call("a"), call("b"), call("c")]);
  const after = toPlan([call("a"), call("b", off), call("c")]);
  const steps = [mark("a", "succeeded"), mark("b", "failed", '["unsure"]')];
  const plan = planResume({ before, after, entry, steps, generations: {} });
  expect([plan.unsure.size, plan.again]).toEqual([0, []]);
  const same = planResume({ before, after: before, entry, steps, generations: {} });
  expect([same.unsure.size, same.again]).toEqual([1, ["b"]]);
});

test("The order of the edges counts for a switched-off node, which passes on the first one's output", () => {
  const toJoin = (join: object, edges: string[]) =>
    toPlan([call("a"), call("b"), call("c"), call("d", join)], ["a>b", "a>c", ...edges]);
  const steps = ["a", "b", "c"].map((id) => mark(id, "succeeded"));
  const listTaken = (join: object, state: StepMark["state"]) => {
    const [before, after] = [toJoin(join, ["b>d", "c>d"]), toJoin(join, ["c>d", "b>d"])];
    const all = [...steps, mark("d", state)];
    return [...planResume({ before, after, entry, steps: all, generations: {} }).taken];
  };
  expect(listTaken({}, "succeeded")).toEqual(["a", "b", "c", "d"]);
  expect(listTaken(off, "skipped")).toEqual(["a", "b", "c"]);
});
