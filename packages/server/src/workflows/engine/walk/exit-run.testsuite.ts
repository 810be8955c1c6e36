import { describe, expect, test } from "bun:test";
import { bodyOf, call, operation, set } from "../testing/node-bodies.ts";
import { openEngine } from "../testing/open-engine.ts";
import { waitForState } from "../testing/wait-for-state.ts";

/** How a run leaves its process before its last node: it waits, or is cancelled. */
export function describeExits(): void {
  test("With frees_place, a waiting run lets the next one start", async () => {
    await using hub = await openEngine();
    const workflow = hub.addWorkflow(
      bodyOf([{ id: "nap", type: "wait", seconds: 3600 }], [], {
        settings: { queue: { runs_at_once: 1, frees_place: true } },
      }),
    );
    const ids = [await hub.run(workflow), await hub.run(workflow), await hub.run(workflow)];
    for (const id of ids) expect((await hub.untilParked(id)).state).toBe("waiting");
  });

  describe("waiting", () => {
    test("A run with a long wait exits its process and continues when it is due", async () => {
      let now = Date.now();
      await using hub = await openEngine();
      const engine = hub.openAnother({ now: () => now });
      const workflow = hub.addWorkflow(
        bodyOf([{ id: "w", type: "wait", seconds: 3600 }, set("b", 1)], ["w>b"]),
      );
      const runId = await hub.run(workflow, {}, engine);
      expect(await hub.untilParked(runId)).toMatchObject({
        state: "waiting",
        dueAt: now + 3_600_000,
      });
      now += 3_600_001;
      await waitForState(hub, runId, "succeeded");
    });

    test("A node waits for the run of another workflow and gets its last output", async () => {
      await using hub = await openEngine();
      hub.addWorkflow(bodyOf([set("x", { doubled: "{{.Event.Payload.n}}{{.Event.Payload.n}}" })]), {
        id: "other",
      });
      const workflow = hub.addWorkflow(
        bodyOf(
          [
            { id: "sub", type: "workflow", workflow_id: "other", payload: { n: 4 } },
            set("b", "{{.Node.sub.doubled}}"),
          ],
          ["sub>b"],
        ),
      );
      const runId = await hub.run(workflow);
      const run = await waitForState(hub, runId, "succeeded");
      expect(run.outputs).toEqual({ sub: { doubled: "44" }, b: "44" });
    });

    test("A workflow that the owner may not run looks like one that does not exist", async () => {
      await using hub = await openEngine();
      hub.addWorkflow(bodyOf([set("x", 1)]), { id: "hidden", ownerId: "bob" });
      const start = (id: string) =>
        hub.run(hub.addWorkflow(bodyOf([{ id: "sub", type: "workflow", workflow_id: id }])));
      const hidden = await hub.untilParked(await start("hidden"));
      const absent = await hub.untilParked(await start("absent"));
      expect(hidden.error.message.replace("hidden", "")).toBe(
        absent.error.message.replace("absent", ""),
      );
    });
  });

  describe("cancel", () => {
    test("A cancelled run ends its call in flight and starts nothing more", async () => {
      const started = Promise.withResolvers<void>();
      await using hub = await openEngine(
        operation(({ signal }) => {
          started.resolve();
          return new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason)),
          );
        }),
      );
      const workflow = hub.addWorkflow(bodyOf([call("a"), set("b", 1)], ["a>b"]));
      const runId = await hub.run(workflow);
      await started.promise;
      expect(await hub.engine.cancel(runId, "Ann stopped it.")).toBe("asked");
      expect(await hub.untilParked(runId)).toMatchObject({
        state: "cancelled",
        steps: [{ state: "cancelled" }],
      });
    });
  });
}
