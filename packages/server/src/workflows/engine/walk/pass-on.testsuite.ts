import { describe, expect, test } from "bun:test";
import { runSql } from "../../../store/testing/run-sql.ts";
import { releaseWorkflowRuns } from "../../../store/workflow-runs/run-leases.ts";
import { bodyOf, call, operation, set } from "../testing/node-bodies.ts";
import { openEngine } from "../testing/open-engine.ts";
import { waitForState } from "../testing/wait-for-state.ts";

const off = { disabled: true };

/** What a run does with nodes that are switched off. */
export function describeSwitchedOff(): void {
  describe("a node that is switched off", () => {
    test("It runs nothing, and its output is that of the node before it", async () => {
      const called: string[] = [];
      await using hub = await openEngine(operation(({ nodeId }) => called.push(nodeId), true));
      const nodes = [set("a", { n: 1 }), call("b", off), set("c", "{{.Node.b.n}}")];
      const workflow = hub.addWorkflow(bodyOf(nodes, ["a>b", "b>c"]));
      const run = await hub.untilParked(await hub.run(workflow));
      expect(run).toMatchObject({ state: "succeeded", lastNode: "c" });
      expect(run.outputs).toEqual({ a: { n: 1 }, b: { n: 1 }, c: 1 });
      expect(run.steps[1]).toMatchObject({ nodeId: "b", state: "skipped", tries: 0, input: null });
      expect(called).toEqual([]);
    });

    test("The first node of a run passes the payload on, and the last one's output is that of the run", async () => {
      await using hub = await openEngine();
      const workflow = hub.addWorkflow(bodyOf([call("a", off), call("b", off)], ["a>b"]));
      const run = await hub.untilParked(await hub.run(workflow, { payload: { n: 7 } }));
      expect(run).toMatchObject({ state: "succeeded", lastNode: "b", error: null });
      expect(run.outputs).toEqual({ a: { n: 7 }, b: { n: 7 } });
    });

    test("A join passes on the output of the first taken edge, in the order of the body", async () => {
      await using hub = await openEngine();
      const check = {
        id: "check",
        type: "branch" as const,
        conditions: [{ left: "{{.Event.Payload.n}}", op: "gt" as const, right: 3 }],
      };
      const nodes = [check, set("no", "no"), set("yes", "yes"), set("too", "too"), call("j", off)];
      const edges = ["check>no:false", "check>yes:true", "check>too:true"];
      const joined = [...edges, "no>j", "too>j", "yes>j"];
      const workflow = hub.addWorkflow(bodyOf(nodes, joined));
      const run = await hub.untilParked(await hub.run(workflow, { payload: { n: 7 } }));
      expect(run.outputs).toMatchObject({ yes: "yes", j: "too" });
    });

    test("It takes its edges without a case, not that of errors, and has no items", async () => {
      await using hub = await openEngine();
      const more = { ...off, for_each: "{{.Node.a}}", on_error: "route" as const };
      const nodes = [set("a", [1, 2]), call("b", more), set("good", 1), set("bad", 2)];
      const workflow = hub.addWorkflow(bodyOf(nodes, ["a>b", "b>good", "b>bad:error"]));
      const run = await hub.untilParked(await hub.run(workflow));
      expect(run.outputs).toEqual({ a: [1, 2], b: [1, 2], good: 1 });
      expect(run.steps).toHaveLength(3);
    });

    test("A fail node lets the run go on, a wait does not wait, and no answer is given", async () => {
      await using hub = await openEngine();
      const nodes = [
        set("a", 1),
        { id: "stop", type: "fail" as const, message: "no", ...off },
        { id: "nap", type: "wait" as const, seconds: 3600, ...off },
        { id: "say", type: "webhook_respond" as const, respond_body: "{{.Node.nothing}}", ...off },
      ];
      const workflow = hub.addWorkflow(bodyOf(nodes, ["a>stop", "stop>nap", "nap>say"]));
      const runId = await hub.run(workflow);
      const run = await hub.untilParked(runId);
      expect(run).toMatchObject({ state: "succeeded", outputs: { say: 1 } });
      expect((await hub.store.reads.readRunEnd(runId))?.answer).toBeNull();
    });

    test("A time that it passes on schedules no second run", async () => {
      await using hub = await openEngine();
      const at = new Date(Date.now() + 3_600_000).toISOString();
      const nodes = [set("a", { schedule_at: at }), call("b", off), set("c", 1)];
      const body = bodyOf(nodes, ["a>b", "b>c"]);
      const later = { id: "later", type: "schedule_at" as const, entry: "b" };
      const workflow = hub.addWorkflow({ ...body, triggers: [...body.triggers, later] });
      await hub.untilParked(await hub.run(workflow));
      const scheduled = await runSql<{ count: number }>(
        hub.store.db,
        "select count(*) as count from workflow_runs where scheduled_at is not null",
      );
      expect(scheduled.map(({ count }) => Number(count))).toEqual([1]);
    });

    test("A payload over 1 MiB is not passed on, and the run goes on with a warning", async () => {
      await using hub = await openEngine();
      const workflow = hub.addWorkflow(bodyOf([call("a", off), set("b", 1)], ["a>b"]));
      const payload = { text: "x".repeat(1024 * 1024) };
      const run = await hub.untilParked(await hub.run(workflow, { payload }));
      expect(run).toMatchObject({ state: "succeeded", outputs: { a: null, b: 1 } });
      expect(run.steps[0]?.warnings).toContain("larger than 1 MiB");
    });

    test("After a restart the run goes on with what it passed on", async () => {
      const calls: unknown[] = [];
      let isBlocked = true;
      await using hub = await openEngine(
        operation(({ params }) => {
          calls.push(params);
          return isBlocked ? new Promise(() => {}) : "done";
        }),
      );
      const dying = hub.openAnother({ instanceId: "dead" });
      const nodes = [call("a", off), call("b", { params: { n: "{{.Node.a.n}}" } }), call("c", off)];
      const workflow = hub.addWorkflow(bodyOf(nodes, ["a>b", "b>c"]));
      const runId = await hub.run(workflow, { payload: { n: 7 } }, dying);
      while (calls.length < 1) await Bun.sleep(1);
      isBlocked = false;
      await releaseWorkflowRuns(hub.store.db, { dead: ["dead"], at: Date.now() });
      const run = await waitForState(hub, runId, "succeeded");
      expect(calls).toEqual([{ n: 7 }, { n: 7 }]);
      expect(run.outputs).toEqual({ a: { n: 7 }, b: "done", c: "done" });
      expect(run.steps.map(({ state }) => state)).toEqual(["skipped", "succeeded", "skipped"]);
    });
  });
}
