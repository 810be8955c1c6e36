/** Protects: a run that was ending when its process died ends so, and repeats none of its calls. */
import { expect, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { HubError } from "../../../errors.ts";
import { systemTimers } from "../../../lib/time/timers.ts";
import { releaseWorkflowRuns } from "../../../store/workflow-runs/run-leases.ts";
import type { CommitWrite } from "../../../store/workflow-runs/workflow-run-records.ts";
import type { EngineDeps } from "../engine.ts";
import type { OpenStep, StepOutcome } from "../step/open-step.ts";
import { openEngine } from "../testing/open-engine.ts";

const each = (more: object) => ({
  id: "a",
  type: "operation" as const,
  tool_id: "conn:1/send",
  for_each: "{{.Event.Payload.list}}",
  ...more,
});
/** Longer than a busy machine needs to begin the first call. */
const limits = { settings: { timeout_s: 20 } };
const bodyOf = (first: NonNullable<WorkflowBodyInput["nodes"]>[number], more = {}) => ({
  triggers: [{ id: "start", type: "manual" as const, entry: first.id }],
  nodes: [first, { id: "next", type: "set" as const, value: 1 }],
  edges: [{ from: first.id, to: "next" }],
  ...more,
});

/**
 * Runs a workflow in a process that dies before it stores the commit that `isLast` picks; then another
 * process takes the run over.
 */
async function takeOver(
  body: WorkflowBodyInput,
  operation: (item: number, signal: AbortSignal) => unknown,
  isLast: (write: CommitWrite) => boolean,
) {
  const calls: number[] = [];
  const open: OpenStep<"operation"> = (ctx) => ({
    input: {},
    effects: "once" as const,
    isCall: true as const,
    async run({ signal }): Promise<StepOutcome> {
      calls.push(ctx.item);
      // Test values are JSON.
      return { kind: "done", output: (await operation(ctx.item, signal)) as string };
    },
  });
  const hub = await openEngine(open);
  const died = Promise.withResolvers<void>();
  const stored = hub.store.workflowRuns;
  const writer: EngineDeps["writer"] = {
    ...stored,
    commit(write) {
      if (!isLast(write)) return stored.commit(write);
      died.resolve();
      return new Promise<never>(() => {});
    },
  };
  // The time limits of runs pass fifty times as fast.
  const after = (ms: number, action: () => void) => systemTimers.after(ms / 50, action);
  const timers = { now: systemTimers.now, after };
  const dead = hub.openAnother({ instanceId: "dead", writer, timers, activeMax: 1 });
  const runId = await hub.run(hub.addWorkflow(body), { payload: { list: ["x", "y"] } }, dead);
  await died.promise;
  await releaseWorkflowRuns(hub.store.db, { dead: ["dead"], at: Date.now() });
  await hub.ended(runId);
  const run = await hub.untilParked(runId);
  await hub[Symbol.asyncDispose]();
  return { run, calls };
}

const isEnd = ({ transition }: CommitWrite) => transition.kind === "end";

test("A run that exceeded its time limit fails, and no step starts after its cancelled step", async () => {
  const body = bodyOf(each({ for_each: undefined }), limits);
  const { run, calls } = await takeOver(body, () => new Promise(() => {}), isEnd);
  expect(run).toMatchObject({ state: "failed", error: { code: "timeout", node_id: null } });
  expect(run.outputs).toEqual({});
  expect(calls).toEqual([-1]);
});

test("The cancelled items of a run that exceeded its time limit do not run again", async () => {
  const body = bodyOf(each({}), limits);
  const { run, calls } = await takeOver(body, () => new Promise(() => {}), isEnd);
  expect(run).toMatchObject({ state: "failed", error: { code: "timeout" } });
  expect(calls).toEqual([0]);
});

test("After a restart, a failed item does not run again: its node fails", async () => {
  const fail = () => {
    throw new HubError("upstream_error", "Closed.");
  };
  const isOfNode = ({ steps }: CommitWrite) =>
    steps.some(({ item, state }) => item === -1 && state === "failed");
  const { run, calls } = await takeOver(bodyOf(each({})), fail, isOfNode);
  expect(run).toMatchObject({
    state: "failed",
    error: { message: "Item 0 failed: Closed.", node_id: "a" },
  });
  expect(calls).toEqual([0]);
});

test("A fail node ends the run with its severity, whatever its on_error says", async () => {
  const fail = { id: "stop", type: "fail" as const, message: "No stock", on_error: "continue" };
  const body = bodyOf({ ...fail, severity: "critical" } as never);
  const { run } = await takeOver(body, () => null, isEnd);
  expect(run).toMatchObject({
    state: "failed",
    error: { message: "No stock", code: "run_failed", node_id: "stop" },
  });
  expect(run.outputs).toEqual({});
});
