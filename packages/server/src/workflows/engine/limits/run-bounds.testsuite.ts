import { describe, expect, test } from "bun:test";
import { bodyOf, call, operation } from "../testing/node-bodies.ts";
import { openEngine } from "../testing/open-engine.ts";
import { waitForState } from "../testing/wait-for-state.ts";

/** The bounds of the outputs of a run, and of the time that it waits for another one. */
export function describeBounds(): void {
  describe("bounds", () => {
    test("Outputs of items that are too large together fail the node before all items have run", async () => {
      let calls = 0;
      await using hub = await openEngine(
        operation(() => {
          calls += 1;
          return "x".repeat(300_000);
        }),
      );
      const list = Array.from({ length: 100 }, (_, index) => index);
      const workflow = hub.addWorkflow(
        bodyOf([call("a", { for_each: "{{.Event.Payload.list}}" })]),
      );
      const run = await hub.untilParked(await hub.run(workflow, { payload: { list } }));
      expect(run).toMatchObject({ state: "failed", error: { code: "invalid_params" } });
      expect(calls).toBe(4);
    });

    test("Outputs of a run that are larger than 32 MiB together fail it", async () => {
      const chars = 1_000_000;
      await using hub = await openEngine(operation(() => "x".repeat(chars)));
      const ids = Array.from({ length: 40 }, (_, index) => `n${index}`);
      const edges = ids.slice(1).map((id, index) => `${ids[index]}>${id}`);
      const workflow = hub.addWorkflow(
        bodyOf(
          ids.map((id) => call(id)),
          edges,
        ),
      );
      const run = await hub.untilParked(await hub.run(workflow));
      expect(run).toMatchObject({
        state: "failed",
        error: { code: "run_failed", message: expect.stringContaining("larger than 32 MiB") },
      });
      const fitting = Math.floor((32 * 1024 * 1024) / chars);
      expect(run.error.node_id).toBe(`n${fitting}`);
    });

    test("A node that waits for another run fails at its time limit, and cancels that run", async () => {
      await using hub = await openEngine();
      const slow = [{ id: "w", type: "wait" as const, seconds: 3600 }];
      hub.addWorkflow(bodyOf(slow), { id: "slow" });
      const node = { id: "sub", type: "workflow" as const, workflow_id: "slow", timeout_s: 1 };
      const runId = await hub.run(hub.addWorkflow(bodyOf([node])));
      const run = await waitForState(hub, runId, "failed");
      expect(run.error).toMatchObject({ code: "timeout", node_id: "sub" });
      await waitForState(hub, run.steps[0]?.childRunId ?? "", "cancelled");
    });
  });
}
