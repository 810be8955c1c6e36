import { describe, expect, test } from "bun:test";
import { releaseWorkflowRuns } from "../../../store/workflow-runs/run-leases.ts";
import { bodyOf, call, operation } from "../testing/node-bodies.ts";
import { openEngine } from "../testing/open-engine.ts";
import { waitForState } from "../testing/wait-for-state.ts";

/** What another process does with the runs of one that died or stops. */
export function describeOtherProcesses(): void {
  describe("another process", () => {
    test("A run of a dead process goes on after its last committed step", async () => {
      const calls: string[] = [];
      let isBlocked = true;
      await using hub = await openEngine(
        operation(({ nodeId }) => {
          calls.push(nodeId);
          return nodeId === "b" && isBlocked ? new Promise(() => {}) : nodeId;
        }),
      );
      const dying = hub.openAnother({ instanceId: "dead" });
      const workflow = hub.addWorkflow(bodyOf([call("a"), call("b"), call("c")], ["a>b", "b>c"]));
      const runId = await hub.run(workflow, {}, dying);
      while (calls.length < 2) await Bun.sleep(1);
      isBlocked = false;
      await releaseWorkflowRuns(hub.store.db, { dead: ["dead"], at: Date.now() });
      const run = await waitForState(hub, runId, "succeeded");
      expect(calls).toEqual(["a", "b", "b", "c"]);
      expect(run.steps.map(({ nodeId }) => nodeId)).toEqual(["a", "b", "c"]);
    });

    test("A step with effects that was in flight is not repeated: the run waits for a person", async () => {
      const calls: string[] = [];
      await using hub = await openEngine(
        operation(({ nodeId }) => {
          calls.push(nodeId);
          return new Promise(() => {});
        }, true),
      );
      const dying = hub.openAnother({ instanceId: "dead" });
      const workflow = hub.addWorkflow(bodyOf([call("a")]));
      const runId = await hub.run(workflow, {}, dying);
      while (calls.length < 1) await Bun.sleep(1);
      await releaseWorkflowRuns(hub.store.db, { dead: ["dead"], at: Date.now() });
      const run = await waitForState(hub, runId, "waiting");
      expect(JSON.parse(run.waitingFor ?? "")).toMatchObject({ kind: "person", node_id: "a" });
      expect(calls).toEqual(["a"]);
    });

    test("A stopping process hands its runs over after the step in flight", async () => {
      const started = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      await using hub = await openEngine(
        operation(async ({ nodeId }) => {
          started.resolve();
          if (nodeId === "a") await release.promise;
          return nodeId;
        }),
      );
      const stopping = hub.openAnother();
      const workflow = hub.addWorkflow(bodyOf([call("a"), call("b")], ["a>b"]));
      const runId = await hub.run(workflow, {}, stopping);
      await started.promise;
      const stopped = stopping.stop();
      release.resolve();
      await stopped;
      const run = await waitForState(hub, runId, "succeeded");
      expect(run.steps.map(({ nodeId, tries }) => [nodeId, tries])).toEqual([
        ["a", 1],
        ["b", 1],
      ]);
    });
  });
}
