/** Approvals in the engine: what a decision wakes, and what a crash, a limit and another branch do. */
import { describe, expect, test } from "bun:test";
import { insertTestApproval } from "../../store/testing/insert-approval.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { listSteps } from "../../store/workflow-runs/workflow-steps.ts";
import { waitForRun } from "../engine/child-runs/run-links.ts";
import type { OpenStep } from "../engine/step/open-step.ts";
import { owner } from "../engine/testing/open-engine.ts";
import {
  approvalBody,
  findAsked,
  openApprovalEngine,
  storeDecision,
} from "./testing/open-approval-engine.ts";

describe("approvals", () => {
  test("A process that dies between the decision and the run leaves the run to another one", async () => {
    const { hub, now } = await openApprovalEngine();
    await using _ = hub;
    const workflow = hub.addWorkflow(approvalBody());
    const runId = await hub.run(workflow);
    await hub.untilParked(runId);
    await hub.engine.stop();
    await storeDecision(hub, await findAsked(hub, runId), now());
    const another = hub.openAnother();
    const waits = { db: hub.store.db, watch: another.watch };
    await waitForRun(waits, runId, new AbortController().signal);
    expect((await hub.read(runId)).outputs.yes).toBe("yes");
  });

  test("The time that a run waits for a decision does not count under its time limit", async () => {
    const { hub, now, setAhead } = await openApprovalEngine();
    await using _ = hub;
    const workflow = hub.addWorkflow(approvalBody({ settings: { timeout_s: 60 } }));
    const runId = await hub.run(workflow);
    await hub.untilParked(runId);
    setAhead(3_600_000);
    await storeDecision(hub, await findAsked(hub, runId), now());
    await hub.ended(runId);
    expect(await hub.read(runId)).toMatchObject({ state: "succeeded", error: null });
  });

  test("The active time of a run is summed over all its claims, without its waits", async () => {
    let setAhead = (_ms: number) => {};
    const operation: OpenStep<"operation"> = () => ({
      input: null,
      effects: "none",
      async run() {
        setAhead(50_000);
        return { kind: "done", output: "slow" };
      },
    });
    const opened = await openApprovalEngine(operation);
    const { hub, now } = opened;
    await using _ = hub;
    setAhead = opened.setAhead;
    const asking = approvalBody();
    const workflow = hub.addWorkflow({
      triggers: [{ id: "start", type: "manual", entry: "slow" }],
      nodes: [{ id: "slow", type: "operation", tool_id: "conn:1/slow" }, ...(asking.nodes ?? [])],
      edges: [{ from: "slow", to: "ask" }, ...(asking.edges ?? [])],
    });
    const runId = await hub.run(workflow);
    expect((await hub.untilParked(runId)).state).toBe("waiting");
    setAhead(3_600_000);
    await storeDecision(hub, await findAsked(hub, runId), now());
    await hub.ended(runId);
    expect((await hub.read(runId)).state).toBe("succeeded");
    const query = "select active_ms from workflow_runs where id = ?";
    const [stored] = await runSql<{ active_ms: number }>(hub.store.db, query, runId);
    expect(Number(stored?.active_ms)).toBeWithin(50_000, 3_000_000);
  });

  test("An approval that expires while no process works on its run goes on along expired", async () => {
    const { hub, setAhead } = await openApprovalEngine();
    await using _ = hub;
    const late = { id: "late", type: "set" as const, value: "late" };
    const asking = approvalBody();
    const workflow = hub.addWorkflow({
      ...asking,
      nodes: [...(asking.nodes ?? []), late],
      edges: [...(asking.edges ?? []), { from: "ask", to: "late", case: "expired" }],
    });
    const runId = await hub.run(workflow);
    await hub.untilParked(runId);
    setAhead(86_400_000);
    await hub.ended(runId);
    const run = await hub.read(runId);
    expect(run.outputs).toMatchObject({ ask: { by: null, comment: null }, late: "late" });
    expect(await findAsked(hub, runId)).toMatchObject({ state: "expired" });
  });

  test("A branch goes on after a decision while another one still runs", async () => {
    const { promise: isDone, resolve: end } = Promise.withResolvers<void>();
    const operation: OpenStep<"operation"> = () => ({
      input: null,
      effects: "none",
      async run() {
        await isDone;
        return { kind: "done", output: "slow" };
      },
    });
    const { hub, now } = await openApprovalEngine(operation);
    await using _ = hub;
    const asking = approvalBody();
    const workflow = hub.addWorkflow({
      triggers: [{ id: "start", type: "manual", entry: "fork" }],
      nodes: [
        { id: "fork", type: "set", value: 1 },
        { id: "slow", type: "operation", tool_id: "conn:1/slow" },
        ...(asking.nodes ?? []),
      ],
      edges: [{ from: "fork", to: "slow" }, { from: "fork", to: "ask" }, ...(asking.edges ?? [])],
    });
    const runId = await hub.run(workflow);
    await storeDecision(hub, await findAsked(hub, runId), now());
    for (;;) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const unsubscribe = hub.engine.watch.subscribe(runId, resolve);
      const steps = await listSteps(hub.store.db, runId);
      if (steps.some(({ nodeId }) => nodeId === "yes")) break;
      await promise;
      unsubscribe();
    }
    expect((await hub.read(runId)).state).toBe("running");
    end();
    await hub.ended(runId);
    expect((await hub.read(runId)).outputs).toMatchObject({ slow: "slow", yes: "yes" });
  });

  test("A run that fails in another branch ends its approval, and cancelling a run does too", async () => {
    const { hub } = await openApprovalEngine();
    await using _ = hub;
    const workflow = hub.addWorkflow({
      triggers: [{ id: "start", type: "manual", entry: "fork" }],
      nodes: [
        { id: "fork", type: "set", value: 1 },
        { id: "pause", type: "wait", seconds: 0.3 },
        { id: "stop", type: "fail", message: "No stock" },
        { id: "ask", type: "approval", title: "Send?", approvers: { tags: ["ops"] } },
      ],
      edges: [
        { from: "fork", to: "pause" },
        { from: "pause", to: "stop" },
        { from: "fork", to: "ask" },
      ],
    });
    const failing = await hub.run(workflow);
    await hub.ended(failing);
    expect((await findAsked(hub, failing)).state).toBe("cancelled");
    const runId = await hub.run(hub.addWorkflow(approvalBody()));
    await hub.untilParked(runId);
    await hub.engine.cancel(runId, "Not needed");
    expect((await findAsked(hub, runId)).state).toBe("cancelled");
  });

  test("The workflows of one owner wait for a bounded number of approvals", async () => {
    const { hub } = await openApprovalEngine();
    await using _ = hub;
    for (let at = 0; at < 2; at += 1) {
      await insertTestApproval(hub.store.db, { ownerId: owner.userId });
    }
    const runId = await hub.run(hub.addWorkflow(approvalBody()));
    await hub.ended(runId);
    const { error } = await hub.read(runId);
    expect(error).toMatchObject({ code: "conflict", node_id: "ask" });
    expect(error.message).toContain("2 approvals already");
  });

  test("A body that differs from the approved one fails at the first node that changes something", async () => {
    const { hub, now } = await openApprovalEngine();
    await using _ = hub;
    const child = hub.addWorkflow({
      triggers: [{ id: "start", type: "manual", entry: "a" }],
      nodes: [{ id: "a", type: "set", value: 1 }],
    });
    const calls = () =>
      hub.addWorkflow({
        ...approvalBody({
          nodes: [
            { id: "ask", type: "approval", title: "Send?", approvers: { tags: ["ops"] } },
            { id: "call", type: "workflow", workflow_id: child.id, payload: "shown" },
          ],
          edges: [{ from: "ask", to: "call", case: "approved" }],
        }),
      });
    const runId = await hub.run(calls());
    await hub.untilParked(runId);
    // As if the run had been taken over with another body.
    const other = calls().publishedBodyId;
    await runSql(
      hub.store.db,
      "update workflow_runs set body_id = ? where id = ? and state = 'waiting'",
      other,
      runId,
    );
    await storeDecision(hub, await findAsked(hub, runId), now());
    await hub.ended(runId);
    const { error, outputs } = await hub.read(runId);
    expect([error?.code, outputs.call]).toEqual(["conflict", undefined]);
  });

  test("A node with `for_each` that could not be shown does not run for any of its items", async () => {
    const { hub, now } = await openApprovalEngine();
    await using _ = hub;
    const child = hub.addWorkflow({
      triggers: [{ id: "start", type: "manual", entry: "a" }],
      nodes: [{ id: "a", type: "set", value: 1 }],
    });
    const workflow = hub.addWorkflow(
      approvalBody({
        triggers: [{ id: "start", type: "manual", entry: "data" }],
        nodes: [
          { id: "data", type: "set", value: [[1], []] },
          { id: "ask", type: "approval", title: "Send?", approvers: { tags: ["ops"] } },
          {
            id: "call",
            type: "workflow",
            workflow_id: child.id,
            on_error: "continue",
            for_each: "{{.Node.data}}",
            payload: "{{index .Item 0}}",
          },
        ],
        edges: [
          { from: "data", to: "ask" },
          { from: "ask", to: "call", case: "approved" },
        ],
      }),
    );
    const runId = await hub.run(workflow);
    const approval = await findAsked(hub, runId);
    await storeDecision(hub, approval, now());
    await hub.ended(runId);
    const steps = await listSteps(hub.store.db, runId);
    expect(steps.filter(({ childRunId }) => childRunId !== null)).toEqual([]);
  });
});
