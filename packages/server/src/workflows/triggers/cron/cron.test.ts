import { describe, expect, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { amount } from "../../../lib/testing/amount.ts";
import { systemTimers } from "../../../lib/time/timers.ts";
import { listWorkflowRuns } from "../../../store/workflow-runs/workflow-runs-table.ts";
import { updateWorkflow } from "../../../store/workflows/workflow-changes.ts";
import { listCronTriggers } from "../../../store/workflows/workflow-triggers.ts";
import { owner } from "../../engine/testing/open-engine.ts";
import { payloadSchemas } from "../payload-schemas.ts";
import { openTriggers, type TestTriggers } from "../testing/open-triggers.ts";
import { createCron } from "./cron.ts";

const start = Date.parse("2026-03-02T08:00:00Z");
const everyMinute = "0 * * * * *";

const bodyOf = (more: object = {}): WorkflowBodyInput => ({
  triggers: [
    { id: "tick", type: "cron", entry: "note", schedule: everyMinute, timezone: "UTC", ...more },
  ],
  nodes: [{ id: "note", type: "set", value: "{{.Event.Payload}}" }],
});

/** A hub whose clock the test sets, and its servers. */
async function open() {
  const clock = { ms: start };
  const now = () => clock.ms;
  const hub = await openTriggers({ deps: { now } });
  let isOwnerActive = true;
  let faults = 0;
  const { db } = hub.store;
  const addServer = (given: object = {}) =>
    createCron({
      db,
      readRevision: hub.store.reads.readRevision,
      directory: { find: async (id) => hub.workflows.get(id) ?? null },
      engine: {
        plans: hub.engine.plans,
        async accept(request) {
          if (faults === 0) return await hub.engine.accept(request);
          faults -= 1;
          throw new Error("The database is away.");
        },
      },
      findCaller: async () => (isOwnerActive ? owner : null),
      timezone: "Europe/Berlin",
      now,
      timers: systemTimers,
      logFailure: (err) => hub.failures.push(err),
      ...given,
    });
  return {
    hub,
    clock,
    addServer,
    fail: (count: number) => {
      faults = count;
    },
    deactivateOwner: () => {
      isOwnerActive = false;
    },
    /** Publishes at the time of the clock. */
    async publish(body: WorkflowBodyInput, id = "report") {
      return await hub.publish(body, { id }, clock.ms);
    },
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}

/** The ticks of a workflow that started runs, oldest first. */
async function listTicks(hub: TestTriggers, workflowId = "report") {
  const runs = await listWorkflowRuns(hub.store.db, { workflowId, limit: 5_000 });
  const ended = await Promise.all(runs.map(({ id }) => hub.untilParked(id)));
  return ended.reverse().map(({ outputs }) => outputs.note.time.slice(11, 19));
}

describe("a cron trigger", () => {
  test("A tick starts a run at its time with the schedule as payload, and not before", async () => {
    await using test = await open();
    const { hub, clock } = test;
    await test.publish(bodyOf({ timezone: undefined, schedule: "5 0 9 * * *" }));
    const cron = test.addServer();
    await cron.fireDue();
    clock.ms = start + 4_999;
    await cron.fireDue();
    expect(await listTicks(hub)).toEqual([]);
    clock.ms = start + 5_000;
    await cron.fireDue();
    await cron.fireDue();
    const [run, ...others] = await listWorkflowRuns(hub.store.db, {
      workflowId: "report",
      limit: 9,
    });
    expect(others).toEqual([]);
    const ended = await hub.untilParked(run?.id ?? "");
    expect(payloadSchemas.cron.parse(ended.outputs.note)).toEqual(ended.outputs.note);
    expect(ended).toMatchObject({
      state: "succeeded",
      triggerType: "cron",
      startedBy: "cron tick",
      outputs: {
        note: {
          time: "2026-03-02T08:00:05.000Z",
          local_time: "2026-03-02T09:00:05+01:00",
          schedule: "5 0 9 * * *",
          timezone: "Europe/Berlin",
          caught_up: false,
        },
      },
    });
  });

  test("Two servers fire a tick once, also when its run has failed meanwhile", async () => {
    await using test = await open();
    const { hub, clock } = test;
    await test.publish({ ...bodyOf(), nodes: [{ id: "note", type: "fail", message: "No" }] });
    const servers = [test.addServer(), test.addServer()];
    for (const server of servers) await server.fireDue();
    clock.ms = start + 60_000;
    for (const server of servers) {
      await server.fireDue();
      const runs = await listWorkflowRuns(hub.store.db, { workflowId: "report", limit: 9 });
      expect(runs).toHaveLength(1);
      expect((await hub.untilParked(runs[0]?.id ?? "")).state).toBe("failed");
    }
    clock.ms += 60_000;
    await Promise.all(servers.map((server) => server.fireDue()));
    const runs = await listWorkflowRuns(hub.store.db, { workflowId: "report", limit: 9 });
    expect(runs).toHaveLength(2);
  });

  test("A disabled workflow and a workflow without an active owner skip their ticks", async () => {
    await using test = await open();
    const { hub, clock } = test;
    await test.publish(bodyOf());
    const cron = test.addServer();
    await cron.fireDue();
    await updateWorkflow(hub.store.db, "report", { enabled: false }, clock.ms);
    clock.ms = start + 60_000;
    await cron.fireDue();
    await updateWorkflow(hub.store.db, "report", { enabled: true }, clock.ms);
    await cron.fireDue();
    clock.ms = start + 120_000;
    await cron.fireDue();
    test.deactivateOwner();
    clock.ms = start + 180_000;
    await cron.fireDue();
    expect(await listTicks(hub)).toEqual(["08:02:00"]);
  });

  test("A changed schedule counts from its publication, and a trigger that was removed fires no more", async () => {
    await using test = await open();
    const { hub, clock } = test;
    await test.publish(bodyOf());
    const cron = test.addServer();
    await cron.fireDue();
    await test.publish(bodyOf({ schedule: "30 * * * * *" }));
    // The server looks for changes only after the first tick has passed.
    clock.ms = start + 31_000;
    await cron.fireDue();
    clock.ms = start + 60_000;
    await cron.fireDue();
    clock.ms = start + 90_000;
    await cron.fireDue();
    await test.publish({ ...bodyOf(), triggers: [] });
    clock.ms = start + 150_000;
    await cron.fireDue();
    expect(await listTicks(hub)).toEqual(["08:01:30"]);
  });

  test("A tick that passed just after the publication is not lost", async () => {
    await using test = await open();
    const { hub, clock } = test;
    const cron = test.addServer();
    await cron.fireDue();
    clock.ms = start + 59_900;
    await test.publish(bodyOf());
    clock.ms = start + 60_400;
    await cron.fireDue();
    expect(await listTicks(hub)).toEqual(["08:01:00"]);
  });

  test.each([
    ["none", []],
    ["last", ["08:30:00"]],
  ])("After a downtime, catch_up %s fires %p", async (catchUp, expected) => {
    await using test = await open();
    const { hub, clock } = test;
    await test.publish(bodyOf({ catch_up: catchUp }));
    clock.ms = start + 30 * 60_000 + 20_000;
    const cron = test.addServer();
    await cron.fireDue();
    await test.addServer().fireDue();
    expect(await listTicks(hub)).toEqual(expected);
    clock.ms = start + 31 * 60_000;
    await cron.fireDue();
    expect(await listTicks(hub)).toEqual([...expected, "08:31:00"]);
  });

  test("A catch_up that is published later holds for the next downtime", async () => {
    await using test = await open();
    const { hub, clock } = test;
    await test.publish(bodyOf());
    const cron = test.addServer();
    await cron.fireDue();
    await test.publish(bodyOf({ catch_up: "last" }));
    await cron.fireDue();
    clock.ms = start + 3_600_000 + 30_000;
    await cron.fireDue();
    expect(await listTicks(hub)).toEqual(["09:00:00"]);
  });

  test("catch_up last fires no tick that has fired, nor one of a time when the workflow was disabled", async () => {
    await using test = await open();
    const { hub, clock } = test;
    await test.publish(bodyOf({ catch_up: "last" }));
    const cron = test.addServer();
    await cron.fireDue();
    clock.ms = start + 60_000;
    await cron.fireDue();
    const [trigger] = await listCronTriggers(hub.store.db);
    expect(trigger?.settledAt).toBe(start + 60_000);
    await updateWorkflow(hub.store.db, "report", { enabled: false }, clock.ms);
    await updateWorkflow(hub.store.db, "report", { enabled: true }, start + 600_000);
    clock.ms = start + 630_000;
    await test.addServer().fireDue();
    expect(await listTicks(hub)).toEqual(["08:01:00"]);
  });

  test("A clock that jumps ahead skips ticks, and one that jumps back fires none again", async () => {
    await using test = await open();
    const { hub, clock } = test;
    await test.publish(bodyOf());
    await test.publish(bodyOf({ catch_up: "last" }), "caught");
    const cron = test.addServer();
    await cron.fireDue();
    clock.ms = start + 3_600_000 + 30_000;
    await cron.fireDue();
    clock.ms = start + 3_660_000;
    await cron.fireDue();
    expect(await listTicks(hub)).toEqual(["09:01:00"]);
    expect(await listTicks(hub, "caught")).toEqual(["09:00:00", "09:01:00"]);
    clock.ms = start + 3_540_000 + 30_000;
    await cron.fireDue();
    for (const at of [3_600_000, 3_660_000, 3_720_000]) {
      clock.ms = start + at;
      await cron.fireDue();
    }
    expect(await listTicks(hub)).toEqual(["09:01:00", "09:00:00", "09:02:00"]);
    expect(await listTicks(hub, "caught")).toEqual(["09:00:00", "09:01:00", "09:02:00"]);
  });

  test("After a failure of the database a tick is tried again, and logged once until a tick succeeds", async () => {
    await using test = await open();
    const { hub, clock } = test;
    await test.publish(bodyOf());
    const cron = test.addServer();
    await cron.fireDue();
    test.fail(2);
    clock.ms = start + 60_000;
    await cron.fireDue();
    await cron.fireDue();
    expect(hub.failures).toHaveLength(1);
    for (const ms of [1_000, 2_000]) {
      clock.ms = start + 60_000 + ms;
      await cron.fireDue();
    }
    expect(hub.failures).toHaveLength(1);
    expect(await listTicks(hub)).toEqual(["08:01:00"]);
    test.fail(1);
    for (const ms of [0, 1_000]) {
      clock.ms = start + 120_000 + ms;
      await cron.fireDue();
    }
    expect(hub.failures).toHaveLength(2);
    expect(await listTicks(hub)).toEqual(["08:01:00", "08:02:00"]);
  });

  test("A tick beyond what the queue takes is recorded as dropped", async () => {
    await using test = await open();
    const { hub, clock } = test;
    await test.publish({
      ...bodyOf(),
      nodes: [{ id: "note", type: "wait", seconds: 3600 }],
      settings: { queue: { policy: "drop" } },
    });
    const cron = test.addServer();
    await cron.fireDue();
    for (const ms of [60_000, 120_000]) {
      clock.ms = start + ms;
      await cron.fireDue();
    }
    const runs = await listWorkflowRuns(hub.store.db, { workflowId: "report", limit: 9 });
    expect(runs.map(({ state }) => state).sort()).toEqual(["dropped", expect.any(String)]);
  });

  test("Many triggers that are not due cost no statement but that of the revision", async () => {
    await using test = await open();
    const { hub, clock } = test;
    const triggers = Array.from({ length: amount(10, 100) }, (_, at) => ({
      id: `cron_${at}`,
      type: "cron" as const,
      entry: "note",
      schedule: `${at % 60} ${at % 59} 12 * * *`,
    }));
    for (let count = 0; count < 10; count += 1) {
      await test.publish({ ...bodyOf(), triggers }, `report-${count}`);
    }
    let lookups = 0;
    const find = async (id: string) => {
      lookups += 1;
      return hub.workflows.get(id) ?? null;
    };
    const cron = test.addServer({ directory: { find } });
    await cron.fireDue();
    clock.ms += 60_000;
    await cron.fireDue();
    expect(lookups).toBe(0);
    // Noon in Berlin.
    clock.ms = Date.parse("2026-03-02T11:00:00Z");
    await cron.fireDue();
    expect(lookups).toBe(10);
  });

  test("A started server fires by itself until it stops", async () => {
    await using test = await open();
    const { hub } = test;
    await test.publish(bodyOf({ schedule: "* * * * * *" }));
    let accepted = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cron = test.addServer({
      now: () => Date.now(),
      engine: {
        plans: hub.engine.plans,
        async accept() {
          accepted += 1;
          if (accepted === 2) resolve();
          return { runId: "", acceptance: { kind: "queued" } };
        },
      },
    });
    cron.start();
    await promise;
    await cron.stop();
    expect(hub.failures).toEqual([]);
  });
});
