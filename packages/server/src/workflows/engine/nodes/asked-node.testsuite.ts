/** Protects: a call of a workflow that a rule asks about runs once, and only after a person has approved it. */
import { beforeEach, expect, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { systemTimers } from "../../../lib/time/timers.ts";
import { pendingLimits } from "../../../operations/pending/pending-limits.ts";
import type { Calls } from "../../../operations/ports.ts";
import { transaction } from "../../../store/database/database.ts";
import { findPendingCall } from "../../../store/pending/pending-calls-table.ts";
import { putRule } from "../../../store/rules/call-rules-table.ts";
import { newRule } from "../../../store/rules/testing/new-rule.ts";
import { runSql } from "../../../store/testing/run-sql.ts";
import { wakeWorkflowRun } from "../../../store/workflow-runs/workflow-runs-table.ts";
import { openAskedHub, type Sent } from "../testing/open-asked-hub.ts";

let sent: Sent;
beforeEach(() => {
  sent = { texts: [], failures: 0, hold: null };
});

type Nodes = WorkflowBodyInput["nodes"];

const toBody = (nodes: Nodes, edges: WorkflowBodyInput["edges"] = []): WorkflowBodyInput => ({
  triggers: [{ id: "start", type: "manual", entry: nodes?.[0]?.id ?? "" }],
  nodes,
  edges,
});

test("A node waits for the decision about its call, and what runs is what was shown", async () => {
  await using hub = await openAskedHub(sent);
  const node = {
    id: "send",
    type: "operation" as const,
    tool_id: hub.toolId("send"),
    params: { text: "now {{now}}" },
  };
  const runId = await hub.run(hub.addWorkflow(toBody([node])));
  const waiting = await hub.until(runId, "waiting");
  expect(JSON.parse(waiting.waitingFor ?? "")).toEqual({
    kind: "approval",
    node_ids: ["send"],
    run_ids: [],
  });
  expect(waiting.steps).toMatchObject([{ nodeId: "send", state: "waiting", flags: '["asked"]' }]);
  const [call] = await hub.asked(runId);
  if (call === undefined) throw new Error("Nothing was asked");
  expect(call).toMatchObject({ state: "open", step: { nodeId: "send", item: -1, attempt: 1 } });
  const shown = (await findPendingCall(hub.db, call.id))?.shown.params;
  expect(sent.texts).toEqual([]);
  await hub.decide(call, runId);
  const ended = await hub.until(runId, "succeeded");
  expect(sent.texts).toHaveLength(1);
  expect({ text: sent.texts[0] }).toEqual(shown as never);
  expect(ended.outputs.send).toEqual({ sent: sent.texts[0] });
  expect(await findPendingCall(hub.db, call.id)).toMatchObject({
    state: "done",
    runId: ended.steps[0]?.callRunId,
    principal: `workflow:${runId}`,
    runsByItself: false,
  });
});

test("A denied call fails its node with the comment, and the run goes on along its error path", async () => {
  await using hub = await openAskedHub(sent);
  const nodes: Nodes = [
    {
      id: "send",
      type: "operation",
      tool_id: hub.toolId("send"),
      params: { text: "hi" },
      on_error: "route",
    },
    { id: "after", type: "set", value: "{{.Node.send.error}}" },
  ];
  const edges = [{ from: "send", case: "error", to: "after" }];
  const runId = await hub.run(hub.addWorkflow(toBody(nodes, edges)));
  await hub.until(runId, "waiting");
  const [call] = await hub.asked(runId);
  if (call === undefined) throw new Error("Nothing was asked");
  await hub.decide(call, runId, "denied", "Not on a Sunday.");
  const ended = await hub.until(runId, "succeeded");
  expect(ended.outputs.after).toBe(
    "ada@example.com denied the call of this node. Nothing has run. The comment: Not on a Sunday.",
  );
  expect(ended.outputs.send).toMatchObject({ code: "refused_by_rule" });
  expect(sent.texts).toEqual([]);
});

test("A call that was not decided in time fails its node, and its question has expired", async () => {
  await using hub = await openAskedHub(sent);
  const node = {
    id: "send",
    type: "operation" as const,
    tool_id: hub.toolId("send"),
    params: { text: "hi" },
  };
  const runId = await hub.run(hub.addWorkflow(toBody([node])));
  await hub.until(runId, "waiting");
  const [call] = await hub.asked(runId);
  if (call === undefined) throw new Error("Nothing was asked");
  const at = Date.now() - 1;
  await runSql(hub.db, "update pending_calls set expires_at = ? where id = ?", at, call.id);
  await wakeWorkflowRun(hub.db, runId, at);
  hub.engine.wake({ runId, dueAt: at });
  const ended = await hub.until(runId, "failed");
  expect(ended.error).toMatchObject({ node_id: "send", code: "approval_required" });
  expect(ended.error.message).toContain("was not decided on by");
  expect(await findPendingCall(hub.db, call.id)).toMatchObject({ state: "expired" });
  expect(sent.texts).toEqual([]);
});

test("The cancel of a run ends its questions, and an approval after it runs nothing", async () => {
  await using hub = await openAskedHub(sent);
  const node = {
    id: "send",
    type: "operation" as const,
    tool_id: hub.toolId("send"),
    params: { text: "hi" },
  };
  const runId = await hub.run(hub.addWorkflow(toBody([node])));
  await hub.until(runId, "waiting");
  const [call] = await hub.asked(runId);
  if (call === undefined) throw new Error("Nothing was asked");
  expect(await hub.engine.cancel(runId, "No more needed.")).toBe("cancelled");
  expect(await findPendingCall(hub.db, call.id)).toMatchObject({
    state: "ended",
    endedReason: "the run of the workflow has ended",
  });
  await hub.decide(call, runId);
  expect((await hub.read(runId)).state).toBe("cancelled");
  expect(sent.texts).toEqual([]);
});

test("The question of a node whose time is over while it asks has ended", async () => {
  let endTime = () => {};
  const timers = {
    ...systemTimers,
    after: (ms: number, action: () => void) => {
      if (ms !== 7_000) return systemTimers.after(ms, action);
      endTime = action;
      return () => {};
    },
  };
  const toCalls = (calls: Calls): Calls => ({
    ...calls,
    // The question is stored, and its answer is on its way to the node.
    call: (...args) => calls.call(...args).finally(() => endTime()),
  });
  await using hub = await openAskedHub(sent, { engine: { timers }, toCalls });
  const node = {
    id: "send",
    type: "operation" as const,
    tool_id: hub.toolId("send"),
    params: { text: "hi" },
    timeout_s: 7,
    on_error: "continue" as const,
  };
  const runId = await hub.run(hub.addWorkflow(toBody([node])));
  const ended = await hub.until(runId, "succeeded");
  expect(ended.outputs.send).toMatchObject({ code: "timeout" });
  // The node does not wait for it.
  while ((await hub.asked(runId)).length > 0) await Bun.sleep(1);
  const calls = await runSql(hub.db, "select state from pending_calls");
  expect(calls).toEqual([{ state: "ended" }]);
  expect(sent.texts).toEqual([]);
});

test("Equal items are each asked about, at most five at once, and each runs once", async () => {
  await using hub = await openAskedHub(sent);
  const node = {
    id: "send",
    type: "operation" as const,
    tool_id: hub.toolId("send"),
    params: { text: "same" },
    for_each: "{{.Event.Payload.items}}",
    items_at_once: 2,
  };
  const payload = { items: [1, 1, 1, 1, 1, 1, 1] };
  const runId = await hub.run(hub.addWorkflow(toBody([node])), { payload });
  const decided = new Set<string>();
  while (decided.size < 7) {
    await hub.until(runId, "waiting", (calls) => calls.some(({ state }) => state === "open"));
    const open = (await hub.asked(runId)).filter(({ state }) => state === "open");
    expect(open.length).toBeLessThanOrEqual(5);
    const [first] = open;
    if (first === undefined) continue;
    decided.add(first.id);
    await hub.decide(first, runId);
  }
  const ended = await hub.until(runId, "succeeded");
  expect(sent.texts).toHaveLength(7);
  expect(ended.outputs.send).toHaveLength(7);
  const items = (await hub.asked(runId)).map(({ step }) => step.item);
  expect(items.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6]);
});

test("An item that is approved while another one runs waits until that one has ended", async () => {
  const { promise: hold, resolve: release } = Promise.withResolvers<void>();
  const { promise: started, resolve: start } = Promise.withResolvers<void>();
  const held = {
    ...sent,
    get hold() {
      start();
      return hold;
    },
  };
  let passedMs = 0;
  await using hub = await openAskedHub(held, { now: () => Date.now() + passedMs });
  const node = {
    id: "send",
    type: "operation" as const,
    tool_id: hub.toolId("send"),
    params: { text: "{{.Item}}" },
    for_each: "{{.Event.Payload.items}}",
    items_at_once: 1,
  };
  const runId = await hub.run(hub.addWorkflow(toBody([node])), { payload: { items: [1, 2] } });
  await hub.until(runId, "waiting", (calls) => calls.length === 2);
  const [first, second] = await hub.asked(runId);
  if (first === undefined || second === undefined) throw new Error("Nothing was asked");
  await hub.decide(second, runId);
  await started;
  await hub.decide(first, runId);
  // The engine has looked at both runs by the end of this one.
  const other = toBody([{ id: "one", type: "set", value: 1 }]);
  await hub.until(await hub.run(hub.addWorkflow(other, { id: "other" })), "succeeded");
  expect((await hub.asked(runId)).map(({ state }) => state)).toEqual(["approved", "running"]);
  expect(sent.texts).toEqual(["2"]);
  // A client would have to use its approval by then.
  passedMs = pendingLimits.approvedMs + 60_000;
  release();
  await hub.until(runId, "succeeded");
  expect(sent.texts).toEqual(["2", "1"]);
  expect(await hub.asked(runId)).toHaveLength(2);
});

test("A denied item fails its node, and the questions of the other items end", async () => {
  await using hub = await openAskedHub(sent);
  const node = {
    id: "send",
    type: "operation" as const,
    tool_id: hub.toolId("send"),
    params: { text: "{{.Item}}" },
    for_each: "{{.Event.Payload.items}}",
  };
  const payload = { items: [1, 2, 3] };
  const runId = await hub.run(hub.addWorkflow(toBody([node])), { payload });
  await hub.until(runId, "waiting", (calls) => calls.length === 3);
  const [call, second] = await hub.asked(runId);
  if (call === undefined || second === undefined) throw new Error("Nothing was asked");
  await hub.decide(call, runId, "denied");
  await hub.until(runId, "failed");
  expect((await findPendingCall(hub.db, second.id))?.state).toBe("ended");
  expect(sent.texts).toEqual([]);
});

test("A retry after a failure of the outside system is asked about again", async () => {
  sent.failures = 1;
  await using hub = await openAskedHub(sent);
  const node = {
    id: "put",
    type: "operation" as const,
    tool_id: hub.toolId("put"),
    params: { text: "hi" },
    retry: { attempts: 2, backoff_s: 0 },
  };
  const runId = await hub.run(hub.addWorkflow(toBody([node])));
  await hub.until(runId, "waiting");
  const [first] = await hub.asked(runId);
  if (first === undefined) throw new Error("Nothing was asked");
  await hub.decide(first, runId);
  await hub.until(runId, "waiting", (calls) => calls.length === 2);
  expect(sent.texts).toEqual(["hi"]);
  const [, second] = await hub.asked(runId);
  if (second === undefined) throw new Error("The retry was not asked about");
  expect(second.step.attempt).toBe(2);
  await hub.decide(second, runId);
  const ended = await hub.until(runId, "succeeded");
  expect(sent.texts).toEqual(["hi", "hi"]);
  expect(ended.steps[0]).toMatchObject({ tries: 2 });
});

test("A dry run asks no person, also about a call that reads, and says that a live run would", async () => {
  await using hub = await openAskedHub(sent);
  const nodes: Nodes = [
    { id: "look", type: "operation", tool_id: hub.toolId("look") },
    { id: "send", type: "operation", tool_id: hub.toolId("send"), params: { text: "hi" } },
  ];
  const runId = await hub.run(hub.addWorkflow({ ...toBody(nodes), edges: [] }), { mode: "dry" });
  const run = await hub.untilParked(runId);
  expect(run.steps[0]?.warnings).toContain("A live run waits here for a person");
  expect(await hub.asked(runId)).toEqual([]);
  expect(sent.texts).toEqual([]);
});

test("A change of the rule after the question is asked about anew, although the first one was approved", async () => {
  await using hub = await openAskedHub(sent);
  const node = {
    id: "send",
    type: "operation" as const,
    tool_id: hub.toolId("send"),
    params: { text: "hi" },
  };
  const runId = await hub.run(hub.addWorkflow(toBody([node])));
  await hub.until(runId, "waiting");
  const [first] = await hub.asked(runId);
  if (first === undefined) throw new Error("Nothing was asked");
  const { ruleId } = (await findPendingCall(hub.db, first.id)) ?? {};
  const { rowId } = hub;
  const changed = newRule({ id: ruleId ?? "", rowId, revision: 2 });
  await transaction(hub.db, (trx) => putRule(trx, changed));
  await hub.decide(first, runId);
  await hub.until(runId, "waiting", ([call]) => call !== undefined && call.id !== first.id);
  expect(sent.texts).toEqual([]);
  const [second] = await hub.asked(runId);
  if (second === undefined) throw new Error("Nothing was asked anew");
  await hub.decide(second, runId);
  await hub.until(runId, "succeeded");
  expect(sent.texts).toEqual(["hi"]);
});
