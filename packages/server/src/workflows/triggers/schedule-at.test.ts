import { describe, expect, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { newWorkflowRun, queueOf } from "../../store/test-data.ts";
import { listWorkflowRuns } from "../../store/workflow-runs.ts";
import { eventSchema, payloadSchemas } from "./payload-schemas.ts";
import { chainDepthMax, findScheduleTime } from "./schedule-at.ts";
import { openTriggers, type TestTriggers } from "./testing/open-triggers.ts";

const now = Date.parse("2026-03-02T08:00:00Z");
const bodyOf = (value: unknown): WorkflowBodyInput => ({
  triggers: [
    { id: "start", type: "manual", entry: "plan" },
    { id: "at", type: "schedule_at", entry: "note" },
  ],
  nodes: [
    { id: "plan", type: "set", value },
    { id: "note", type: "set", value: "{{.Event}}" },
  ],
});
const listScheduled = async (hub: TestTriggers, workflowId: string) =>
  (await listWorkflowRuns(hub.store.db, { workflowId, limit: 10 })).filter(
    ({ triggerId }) => triggerId === "at",
  );
const warningsOf = (run: { steps: Array<{ warnings: string | null }> }) =>
  run.steps.flatMap(({ warnings }) => (warnings === null ? [] : JSON.parse(warnings)));

describe("the time that an output names", () => {
  test.each([
    [null],
    ["text"],
    [[{ schedule_at: now }]],
    [{}],
    [{ schedule_at: null }],
    [{ schedule_at: "" }],
    [{ more: { schedule_at: now / 1000 + 60 } }],
  ])("%j names none", (output) => {
    expect(findScheduleTime(output, { now, chainDepth: 0 })).toBeNull();
  });

  test.each([
    ["2026-03-02T09:00:10+01:00", 10_000],
    [now / 1000 + 1, 1_000],
    [`${now / 1000 + 60}`, 60_000],
  ])("%j is read", (value, aheadMs) => {
    const output = { schedule_at: value, other: 1 };
    expect(findScheduleTime(output, { now, chainDepth: 0 })).toEqual({ at: now + aheadMs });
  });

  test.each([
    ["tomorrow", "is not a time"],
    ["2026-03-02T09:00:10", "is not a time"],
    [{ at: 1 }, "is not a time"],
    [now + 60_000, "is not a time"],
    [now / 1000 + 0.9, "not at least one second ahead"],
    ["2026-03-02T07:00:00Z", "not at least one second ahead"],
  ])("%j is a warning", (value, message) => {
    const found = findScheduleTime({ schedule_at: value }, { now, chainDepth: 0 });
    expect(found).toEqual({ warning: expect.stringContaining(message) });
  });
});

describe("a schedule_at trigger", () => {
  test("An output with a time queues a run that has that output as payload, and starts at the time", async () => {
    const clock = { ms: now };
    await using hub = await openTriggers({ deps: { now: () => clock.ms } });
    const output = { schedule_at: now / 1000 + 3600, item: "tea" };
    const workflow = await hub.publish(bodyOf(output));
    await hub.settle(await hub.run(workflow));
    const [queued, ...others] = await listScheduled(hub, workflow.id);
    expect(others).toEqual([]);
    expect(queued).toMatchObject({
      ...{ state: "queued", triggerType: "schedule_at", chainDepth: 1 },
      ...{ scheduledAt: now + 3_600_000, startedBy: "schedule at" },
    });
    clock.ms = now + 3_600_000;
    const ended = await hub.settle(queued?.id ?? "");
    expect(ended).toMatchObject({
      state: "succeeded",
      outputs: { note: { Type: "schedule_at", TriggerID: "at", Payload: output } },
    });
    const { note } = ended.outputs;
    expect(eventSchema.parse(note)).toEqual(note);
    expect(payloadSchemas.schedule_at.parse(output)).toEqual(output);
  });

  test("A time that is not ahead starts no run and is a warning on the step", async () => {
    await using hub = await openTriggers();
    const workflow = await hub.publish(bodyOf({ schedule_at: 1 }));
    const run = await hub.settle(await hub.run(workflow));
    expect(run.state).toBe("succeeded");
    expect(warningsOf(run)).toEqual([expect.stringContaining("one second ahead")]);
    expect(await listScheduled(hub, workflow.id)).toEqual([]);
  });

  test("A chain of scheduled runs ends after a hundred", async () => {
    await using hub = await openTriggers();
    const workflow = await hub.publish(bodyOf({ schedule_at: "2099-01-01T00:00:00Z" }));
    await hub.settle(await hub.run(workflow, { chainDepth: chainDepthMax - 1 }));
    const last = await hub.settle(await hub.run(workflow, { chainDepth: chainDepthMax }));
    expect(await listScheduled(hub, workflow.id)).toMatchObject([{ chainDepth: 100 }]);
    expect(warningsOf(last)).toEqual([expect.stringContaining("100 scheduled runs have led")]);
  });

  test("With a thousand scheduled runs, a further one is refused with a warning", async () => {
    await using hub = await openTriggers();
    const workflow = await hub.publish(bodyOf({ schedule_at: "2099-01-01T00:00:00Z" }));
    const later = () =>
      newWorkflowRun({ workflowId: workflow.id, scheduledAt: Date.now() + 3_600_000 });
    const writes = Array.from({ length: 999 }, () => ({
      ...{ run: later(), queue: queueOf(), deliveryId: null, claimBy: null },
    }));
    await Promise.all(writes.map((write) => hub.store.workflowRuns.accept(write)));
    expect(warningsOf(await hub.settle(await hub.run(workflow)))).toEqual([]);
    const refused = await hub.settle(await hub.run(workflow));
    expect(refused.state).toBe("succeeded");
    expect(warningsOf(refused)).toEqual([expect.stringContaining("was refused")]);
  });
});
