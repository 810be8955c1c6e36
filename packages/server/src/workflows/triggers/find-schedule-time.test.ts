import { describe, expect, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { newWorkflowRun, queueOf } from "../../store/test-data.ts";
import { listWorkflowRuns } from "../../store/workflow-runs/workflow-runs-table.ts";
import { chainDepthMax, findScheduleTime } from "./find-schedule-time.ts";
import { eventSchema, payloadSchemas } from "./payload-schemas.ts";
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
    ["2026-03-02T09:00+01", 0],
    ["20260302T083000Z", 1_800_000],
    ["20260302T083000+0100", -1_800_000],
    ["20260302T0830-01:30", 7_200_000],
    ["2026-03-02t08:30:00z", 1_800_000],
    ["2026-03-02T08:30:00,5Z", 1_800_500],
    ["2026-03-02T08:30:00.123456789Z", 1_800_123],
    ["2026-03-02T24:00:00Z", 57_600_000],
    [" 2026-03-02T08:30:00Z ", 1_800_000],
  ])("%j is read", (value, aheadMs) => {
    const output = { schedule_at: value, other: 1 };
    const found = findScheduleTime(output, { now: now - 3_600_000, chainDepth: 0 });
    expect(found).toEqual({ at: now + aheadMs });
  });

  test.each([
    ["2026-11-27T20:30:00", "Europe/Berlin", "2026-11-27T19:30:00Z"],
    ["20261127T203000", "Europe/Berlin", "2026-11-27T19:30:00Z"],
    ["20261127T2030", "Asia/Kathmandu", "2026-11-27T14:45:00Z"],
    ["2026-07-01T09:00", "America/New_York", "2026-07-01T13:00:00Z"],
    // As a fixed time of cron: the first of two hours, or the end of a skipped one.
    ["2026-10-25T02:30:00", "Europe/Berlin", "2026-10-25T00:30:00Z"],
    ["2027-03-28T02:30:00", "Europe/Berlin", "2027-03-28T01:00:00Z"],
  ])("%j, without an offset, is of the time zone %s", (value, timezone, time) => {
    const found = findScheduleTime({ schedule_at: value }, { now, chainDepth: 0, timezone });
    expect(found).toEqual({ at: Date.parse(time) });
  });

  test.each([
    ["tomorrow", "is not a time"],
    ["2026-02-30T09:00:00Z", "is not a time"],
    ["2026-03-02T25:00:00Z", "is not a time"],
    ["2026-03-02T09:60:00Z", "is not a time"],
    ["2026-03-02T09:00:00+24:00", "is not a time"],
    ["20260302T09:00:00Z", "is not a time"],
    ["2026-03-02", "is not a time"],
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
    await hub.untilParked(await hub.run(workflow));
    const [queued, ...others] = await listScheduled(hub, workflow.id);
    expect(others).toEqual([]);
    expect(queued).toMatchObject({
      state: "queued",
      triggerType: "schedule_at",
      chainDepth: 1,
      scheduledAt: now + 3_600_000,
      startedBy: "schedule at",
    });
    clock.ms = now + 3_600_000;
    const ended = await hub.untilParked(queued?.id ?? "");
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
    const run = await hub.untilParked(await hub.run(workflow));
    expect(run.state).toBe("succeeded");
    expect(warningsOf(run)).toEqual([expect.stringContaining("one second ahead")]);
    expect(await listScheduled(hub, workflow.id)).toEqual([]);
  });

  test("A chain of scheduled runs ends after a hundred", async () => {
    await using hub = await openTriggers();
    const workflow = await hub.publish(bodyOf({ schedule_at: "2099-01-01T00:00:00Z" }));
    await hub.untilParked(await hub.run(workflow, { chainDepth: chainDepthMax - 1 }));
    const last = await hub.untilParked(await hub.run(workflow, { chainDepth: chainDepthMax }));
    expect(await listScheduled(hub, workflow.id)).toMatchObject([{ chainDepth: 100 }]);
    expect(warningsOf(last)).toEqual([expect.stringContaining("100 scheduled runs have led")]);
  });

  test("With a thousand scheduled runs, a further one is refused with a warning", async () => {
    await using hub = await openTriggers();
    const workflow = await hub.publish(bodyOf({ schedule_at: "2099-01-01T00:00:00Z" }));
    const later = () =>
      newWorkflowRun({ workflowId: workflow.id, scheduledAt: Date.now() + 3_600_000 });
    const writes = Array.from({ length: 999 }, () => ({
      run: later(),
      queue: queueOf(),
      deliveryId: null,
      claimBy: null,
    }));
    await Promise.all(writes.map((write) => hub.store.workflowRuns.accept(write)));
    expect(warningsOf(await hub.untilParked(await hub.run(workflow)))).toEqual([]);
    const refused = await hub.untilParked(await hub.run(workflow));
    expect(refused.state).toBe("succeeded");
    expect(warningsOf(refused)).toEqual([expect.stringContaining("was refused")]);
  });
});
