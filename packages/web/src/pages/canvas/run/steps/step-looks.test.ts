import { expect, test } from "bun:test";
import type { WorkflowStepEvent } from "@hub/contract/workflow-run.ts";
import { countOutputs, findLinkLook, findLook, groupSteps, markUndecided } from "./step-looks.ts";

const toStep = (node_id: string, given: Partial<WorkflowStepEvent> = {}): WorkflowStepEvent => ({
  node_id,
  item: null,
  state: "succeeded",
  tries: 1,
  case: null,
  error: null,
  would_call: false,
  skip_reason: null,
  is_pinned: false,
  is_taken_over: false,
  is_decided: false,
  may_have_happened: false,
  call_run_id: null,
  child_run_id: null,
  wake_at: null,
  started_at: null,
  ended_at: null,
  ...given,
});

const groups = groupSteps([
  toStep("check", { case: "true" }),
  toStep("big", { state: "failed", tries: 3 }),
  toStep("small", { state: "skipped", skip_reason: "disabled" }),
  toStep("each", { item: 0, ended_at: "2026-01-01T00:00:00Z" }),
  toStep("each", { item: 1, state: "running" }),
]);

test("A node looks as its step has ended, and a trigger as what started the run", () => {
  expect(findLook(groups, "hook", "hook").state).toBe("succeeded");
  expect(findLook(groups, "big", "hook")).toMatchObject({ state: "failed", note: "3 tries" });
  expect(findLook(groups, "later", "hook")).toMatchObject({ state: null, note: null });
});

test("A node with for_each runs until its own step has ended, and says how far it is", () => {
  expect(findLook(groups, "each", "hook")).toMatchObject({
    state: "running",
    note: "1 of 2 items",
  });
});

test("A step that may have happened waits for a decision, and does not look as if it ran", () => {
  const steps = [toStep("before"), toStep("pay", { state: "running" })];
  const look = (waiting_for: object | null) =>
    findLook(groupSteps(markUndecided(steps, { waiting_for })), "pay", "hook");
  expect(look({ kind: "person" })).toMatchObject({ state: "waiting", note: "to decide" });
  expect(look({ kind: "time" })).toMatchObject({ state: "running", note: null });
  expect(look(null)).toMatchObject({ state: "running", note: null });
});

test("A node that is switched off looks so, and the run went to it and on", () => {
  expect(findLook(groups, "small", "hook")).toMatchObject({
    state: "skipped",
    note: "switched off",
  });
  const looks = groupSteps([toStep("a"), toStep("b", { state: "skipped" }), toStep("c")]);
  expect(findLinkLook(looks, { from: "a", to: "b" }, "hook").isTaken).toBe(true);
  expect(findLinkLook(looks, { from: "b", to: "c" }, "hook").isTaken).toBe(true);
  expect(findLinkLook(looks, { from: "b", to: "c", case: "error" }, "hook").isTaken).toBe(false);
});

test("A run went along the case that its step took", () => {
  const link = (from: string, to: string, name?: string) =>
    findLinkLook(groups, { from, to, ...(name !== undefined && { case: name }) }, "hook").isTaken;
  expect(link("hook", "check")).toBe(true);
  expect(link("check", "big", "true")).toBe(true);
  expect(link("check", "small", "false")).toBe(false);
  expect(link("other", "check")).toBe(false);
});

test("A connection says how long the list is that goes along it, also if only a part is shown", () => {
  const looks = groupSteps([toStep("list"), toStep("next")]);
  const look = (output: unknown) =>
    findLinkLook(
      looks,
      { from: "list", to: "next" },
      "hook",
      countOutputs([
        { ...toStep("list"), input: null, output, warnings: [], pending_call_id: null },
      ]),
    ).note;
  expect(look([1, 2, 3])).toEqual({
    text: "3 items",
    why: 'The output is a list of 3 items. The next step runs once for the list, unless it has "For each".',
  });
  const cut = { result: [1], _truncated: { cuts: [{ path: "$", kept: 1, of: 900 }] } };
  expect(look(cut)?.text).toBe("900 items");
  expect(look({ a: 1 })).toBeNull();
});

test("A connection says how many items a node with for_each gave along it", () => {
  const items = [0, 1].map((item) => toStep("each", { item }));
  const ended = groupSteps([...items, toStep("each"), toStep("next")]);
  expect(findLinkLook(ended, { from: "each", to: "next" }, "hook")).toEqual({
    isTaken: true,
    note: { text: "2 items", why: "The step ran for 2 items." },
  });
});
