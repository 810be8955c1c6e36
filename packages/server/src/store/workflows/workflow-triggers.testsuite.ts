import { expect, test } from "bun:test";
import { type Db, transaction } from "../database/database.ts";
import type { UserRole, UserStatus } from "../database/tables/user-tables.ts";
import { newStep, newUser, newWorkflow, newWorkflowRun, queueOf } from "../test-data.ts";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { insertUser, updateUser } from "../users/users-table.ts";
import { purgeDeliveries, purgeWorkflowRuns } from "../workflow-runs/purge-old-runs.ts";
import {
  dropScheduledRun,
  findScheduledRun,
  listScheduledRuns,
  moveScheduledRun,
} from "../workflow-runs/scheduled-runs-table.ts";
import type { NewWorkflowRun } from "../workflow-runs/workflow-run-columns.ts";
import type { AcceptWrite } from "../workflow-runs/workflow-run-records.ts";
import { findWorkflowRun, listDueRuns } from "../workflow-runs/workflow-runs-table.ts";
import { listSteps } from "../workflow-runs/workflow-steps.ts";
import { readBody } from "./workflow-bodies.ts";
import { deleteWorkflow, insertWorkflow, updateWorkflow } from "./workflow-changes.ts";
import {
  completeTicks,
  countTriggersOf,
  type IndexedTrigger,
  listCronTriggers,
  listErrorTriggers,
  putTriggers,
} from "./workflow-triggers.ts";

/** The index of published triggers, scheduled runs, and what is purged. */
export function describeWorkflowTriggers(stores: () => TestStores): void {
  const db = (): Db => stores().store.db;
  const addUser = async (given: { role?: UserRole; status?: UserStatus } = {}) =>
    (await insertUser(db(), newUser({ email: `${crypto.randomUUID()}@example.com`, ...given }))).id;
  async function addWorkflow(ownerId: string): Promise<string> {
    const workflow = newWorkflow(ownerId);
    await insertWorkflow(db(), workflow);
    return workflow.id;
  }
  const put = (workflowId: string, triggers: IndexedTrigger[], at = 1_000) =>
    transaction(db(), (trx) => putTriggers(trx, workflowId, triggers, at));
  const none = {
    schedule: null,
    timezone: null,
    catchUp: null,
    channel: null,
    event: null,
    match: null,
  };
  const cron = (given: Partial<IndexedTrigger> = {}): IndexedTrigger => ({
    id: "tick",
    type: "cron",
    entry: "a",
    ...none,
    schedule: "0 * * * * *",
    catchUp: "none",
    sourceWorkflow: null,
    severities: null,
    ...given,
  });
  const onError = (sourceWorkflow: string, given: Partial<IndexedTrigger> = {}) => ({
    id: "oops",
    type: "error",
    entry: "a",
    ...none,
    sourceWorkflow,
    severities: null,
    ...given,
  });

  test("The cron triggers of enabled workflows are listed, and a publication replaces those of its workflow", async () => {
    const ann = await addUser();
    const one = await addWorkflow(ann);
    const two = await addWorkflow(ann);
    await put(one, [cron(), cron({ id: "old" }), onError("*")]);
    await put(two, [cron({ timezone: "Europe/Berlin" })]);
    await put(one, [cron({ catchUp: "last" })], 2_000);
    await updateWorkflow(db(), two, { enabled: false }, 3_000);
    expect(await listCronTriggers(db())).toEqual(
      [{ workflowId: one, triggerId: "tick", schedule: "0 * * * * *", timezone: null }].map(
        (trigger) => ({ ...trigger, catchUp: "last", settledAt: 1_000 }),
      ),
    );
    const counted = { ownerId: ann, type: "cron" };
    expect(await countTriggersOf(db(), { ...counted, except: "" })).toBe(2);
    expect(await countTriggersOf(db(), { ...counted, except: two })).toBe(1);
    await deleteWorkflow(db(), one, 4_000);
    expect(await listCronTriggers(db())).toEqual([]);
  });

  test("Ticks are completed by time, by a changed schedule, and by enabling the workflow", async () => {
    const one = await addWorkflow(await addUser());
    const settledAt = async () => (await listCronTriggers(db()))[0]?.settledAt;
    await put(one, [cron()], 1_000);
    await completeTicks(db(), { workflowId: one, triggerId: "tick", at: 3_000 });
    await completeTicks(db(), { workflowId: one, triggerId: "tick", at: 2_000 });
    await completeTicks(db(), { workflowId: one, triggerId: "other", at: 9_000 });
    expect(await settledAt()).toBe(3_000);
    await put(one, [cron({ schedule: "1 * * * * *" })], 4_000);
    expect(await settledAt()).toBe(4_000);
    await updateWorkflow(db(), one, { enabled: false }, 5_000);
    await updateWorkflow(db(), one, { enabled: true }, 6_000);
    expect(await settledAt()).toBe(6_000);
  });

  test("A failure fires the error triggers of its owner and of admins, by source and severity, but none of its own workflow", async () => {
    const ann = await addUser();
    const bob = await addUser();
    const admin = await addUser({ role: "admin" });
    const failed = await addWorkflow(ann);
    const other = await addWorkflow(ann);
    const list = async (given: object = {}) =>
      (
        await listErrorTriggers(db(), {
          workflowId: failed,
          ownerId: ann,
          severity: "error",
          limit: 10,
          ...given,
        })
      ).map(({ workflowId, triggerId }) => `${workflowId} ${triggerId}`);
    const own = await addWorkflow(ann);
    const ofAdmin = await addWorkflow(admin);
    const ofBob = await addWorkflow(bob);
    await put(own, [
      onError(failed),
      onError("*", { id: "critical", severities: ["critical", "warning"] }),
      onError(other, { id: "elsewhere" }),
    ]);
    await put(ofAdmin, [onError("*")]);
    await put(ofBob, [onError("*"), onError(failed, { id: "named" })]);
    await put(failed, [onError("*")]);
    expect((await list()).sort()).toEqual([`${own} oops`, `${ofAdmin} oops`].sort());
    expect(await list({ severity: "critical" })).toContain(`${own} critical`);
    expect(await list({ limit: 1 })).toHaveLength(1);
    await updateWorkflow(db(), own, { enabled: false }, 2_000);
    await updateUser(db(), admin, { status: "disabled" }, 2_000);
    expect(await list()).toEqual([]);
  });

  test("An error trigger of a service user fires while the user is active and an admin with its owner", async () => {
    const ann = await addUser();
    const boss = await addUser({ role: "admin" });
    const failed = await addWorkflow(ann);
    const robot = newUser({ email: `${crypto.randomUUID()}@service.invalid`, role: "admin" });
    await insertUser(db(), { ...robot, service: { ownerId: boss } });
    const ofRobot = await addWorkflow(robot.id);
    await put(ofRobot, [onError("*")]);
    const fired = { workflowId: failed, severity: "error", limit: 10 };
    const list = async (ownerId = ann) =>
      (await listErrorTriggers(db(), { ...fired, ownerId })).map(({ workflowId }) => workflowId);
    expect(await list()).toEqual([ofRobot]);
    await updateUser(db(), boss, { role: "user" }, 2_000);
    expect(await list()).toEqual([]);
    expect(await list(robot.id)).toEqual([ofRobot]);
    await updateUser(db(), boss, { status: "disabled" }, 2_000);
    expect(await list(robot.id)).toEqual([]);
  });

  const accept = (given: Partial<NewWorkflowRun>, more: Partial<AcceptWrite> = {}) => {
    const run = newWorkflowRun(given);
    const write = { run, queue: queueOf(), deliveryId: null, claimBy: "one", ...more };
    return stores().store.workflowRuns.accept(write);
  };

  test("A tick starts one run, also after that run has ended", async () => {
    const tick = { triggerType: "cron", triggerId: "tick" };
    const run = newWorkflowRun(tick);
    await accept(run, { deliveryId: "tick:1" });
    await runSql(db(), "update workflow_runs set state = 'failed' where id = ?", run.id);
    const again = await accept(tick, { deliveryId: "tick:1" });
    expect(again).toEqual({ kind: "repeated", runId: run.id });
  });

  test("Runs that wait for their time are listed in order, moved and dropped", async () => {
    const at = (scheduledAt: number) => newWorkflowRun({ scheduledAt });
    const [late, early, third] = [at(9_000), at(5_000), at(9_000)];
    for (const run of [late, early, third]) await accept(run);
    await accept({ scheduledAt: 1_000, workflowId: "other" });
    await accept({});
    const list = async (page: object = {}) =>
      (await listScheduledRuns(db(), "wf", { limit: 10, ...page })).map(({ id }) => id);
    expect(await list()).toEqual([early.id, late.id, third.id]);
    expect(await list({ after: { scheduledAt: 9_000, id: late.id } })).toEqual([third.id]);
    const address = { workflowId: "wf", id: late.id };
    expect(await moveScheduledRun(db(), { ...address, scheduledAt: 2_000 })).toBe(true);
    expect(await list()).toEqual([late.id, early.id, third.id]);
    expect(await listDueRuns(db(), 2_000, 10)).toContainEqual(
      expect.objectContaining({ id: late.id }),
    );
    expect(await findScheduledRun(db(), address)).toMatchObject({ scheduledAt: 2_000 });
    const drop = { ...address, reason: "Dropped", at: 3_000 };
    expect(await dropScheduledRun(db(), { ...drop, workflowId: "other" })).toBe(false);
    expect(await dropScheduledRun(db(), drop)).toBe(true);
    expect(await dropScheduledRun(db(), drop)).toBe(false);
    expect(await moveScheduledRun(db(), { ...address, scheduledAt: 4_000 })).toBe(false);
    expect(await findScheduledRun(db(), address)).toBeNull();
    expect(await findWorkflowRun(db(), late.id)).toMatchObject({
      state: "cancelled",
      endedAt: 3_000,
      dueAt: null,
      cancelReason: "Dropped",
    });
  });

  /** A run that ended at a time, with steps. */
  async function addEnded(endedAt: number, steps: number, given: Partial<NewWorkflowRun> = {}) {
    const run = newWorkflowRun(given);
    const accepted = await accept(run, { deliveryId: run.id });
    if (accepted.kind !== "started") throw new Error(`The run is ${accepted.kind}`);
    await stores().store.workflowRuns.commit({
      runId: run.id,
      workflowId: run.workflowId,
      lease: accepted.lease,
      at: endedAt,
      steps: Array.from({ length: steps }, (_, item) => newStep({ item })),
      answer: null,
      starts: [],
      transition: {
        kind: "end",
        state: "succeeded",
        error: null,
        lastNode: null,
        waiterRunId: null,
        activeMs: 1,
        queue: queueOf(),
        claimBy: null,
      },
    });
    return run.id;
  }

  test("Old runs are purged in batches, oldest first, with their steps, deliveries and unused bodies", async () => {
    const ann = await addUser();
    const workflow = newWorkflow(ann);
    await insertWorkflow(db(), workflow);
    const body = (id: string) =>
      runSql(
        db(),
        "insert into workflow_bodies (id, workflow_id, body, created_at) values (?, ?, '{}', 1)",
        id,
        workflow.id,
      );
    for (const id of ["unused", "still-used"]) await body(id);
    const oldest = await addEnded(10, 5, { bodyId: "unused" });
    const draft = await addEnded(20, 0, { bodyId: workflow.body.id });
    const older = await addEnded(30, 1, { bodyId: "still-used" });
    const kept = await addEnded(100, 2, { bodyId: "still-used" });
    await accept({});
    let endedFrom: number | null = null;
    const purged: Array<number | null> = [];
    for (;;) {
      const bounds = { endedFrom, endedBefore: 100, runsMax: 2, stepsMax: 3 };
      const batch = await purgeWorkflowRuns(db(), bounds);
      purged.push(batch?.endedAt ?? null);
      if (batch === null) break;
      endedFrom = batch.endedAt;
    }
    expect(purged).toEqual([10, 20, 30, null]);
    for (const id of [oldest, draft, older]) {
      expect(await findWorkflowRun(db(), id)).toBeNull();
      expect(await listSteps(db(), id)).toEqual([]);
    }
    expect(await listSteps(db(), kept)).toHaveLength(2);
    expect(await runSql(db(), "select run_id from workflow_deliveries")).toEqual([
      { run_id: kept },
    ]);
    const bodies = ["unused", "still-used", workflow.body.id];
    const left = await Promise.all(bodies.map((id) => readBody(db(), id)));
    expect(left.map((text) => text !== null)).toEqual([false, true, true]);
  });

  test("Deliveries are purged by their age", async () => {
    for (const createdAt of [1, 2, 3, 9])
      await accept({ createdAt }, { deliveryId: `${createdAt}` });
    const purge = () => purgeDeliveries(db(), { receivedBefore: 9, limit: 2 });
    expect([await purge(), await purge(), await purge()]).toEqual([2, 1, 0]);
    expect(await runSql(db(), "select delivery_id from workflow_deliveries")).toEqual([
      { delivery_id: "9" },
    ]);
  });
}
