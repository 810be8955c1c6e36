import { expect, test } from "bun:test";
import { newWorkflowRun } from "../../../store/test-data.ts";
import { openEngine } from "../testing/open-engine.ts";
import { createRunStorage, toStoredBytes } from "./run-storage.ts";

const of = (workflowId: string, ownerId = "ada") => ({ workflowId, ownerId });

test("A workflow that has stored its bytes of a day starts nothing, and other workflows go on", () => {
  const storage = createRunStorage({ now: () => 0, perDay: 100 });
  storage.require(of("first"), 100);
  storage.add(of("first"), 100);
  expect(() => storage.require(of("first"), 50)).toThrow(
    expect.objectContaining({ code: "rate_limited", detail: { retry_after_s: 43_200 } }),
  );
  expect(() => storage.require(of("first"), 1)).toThrow(/^The runs of this workflow have stored/);
  storage.require(of("second"), 100);
});

test("The workflows of a user have four times the bytes of one together, and other users go on", () => {
  const storage = createRunStorage({ now: () => 0, perDay: 100 });
  for (const id of ["1", "2", "3", "4"]) storage.add(of(id), 100);
  expect(() => storage.require(of("5"), 1)).toThrow(/^The workflows of this workflow's owner/);
  storage.require(of("6", "ben"), 100);
});

test("A run counts with the steps that it takes over, and a refused one only if it has its own record", () => {
  const run = newWorkflowRun({ event: "12345678" });
  expect(toStoredBytes(run, { kind: "queued" }, 500)).toBe(1024 + 8 + 500);
  const dropped = { kind: "dropped", reason: "busy" } as const;
  expect(toStoredBytes(run, { ...dropped, runId: run.id }, 500)).toBe(1024);
  expect(toStoredBytes(run, { ...dropped, runId: "another" })).toBe(0);
  expect(toStoredBytes(run, { kind: "repeated", runId: "another" })).toBe(0);
});

test("The steps that a run takes over count, so a workflow cannot copy them without end", async () => {
  const storage = createRunStorage({ now: () => 0, perDay: 60_000 });
  await using hub = await openEngine(undefined, () => ({ storage }));
  const workflow = hub.addWorkflow({
    triggers: [{ id: "start", type: "manual", entry: "large" }],
    nodes: [
      { id: "large", type: "set", value: "x".repeat(10_000) },
      { id: "bad", type: "set", value: "{{index .Event.Payload.list 5}}" },
    ],
    edges: [{ from: "large", to: "bad" }],
  });
  const failed = await hub.run(workflow, { payload: { list: [] } });
  expect((await hub.untilParked(failed)).state).toBe("failed");
  const takeOver = { runId: failed, isResume: false, flag: "taken_over" } as const;
  const resume = () =>
    hub.run(workflow, { takeOver: { ...takeOver, nodeIds: ["large"], partNodeIds: [] } });
  await hub.untilParked(await resume());
  await expect(resume()).rejects.toMatchObject({ code: "rate_limited" });
});
