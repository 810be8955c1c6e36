import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { transaction } from "../store/database/database.ts";
import type { Store } from "../store/store.ts";
import { newStep, newUser, newWorkflow, newWorkflowRun, queueOf } from "../store/test-data.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { runSql } from "../store/testing/run-sql.ts";
import { insertUser } from "../store/users/users-table.ts";
import { listWorkflowRuns } from "../store/workflow-runs/workflow-runs-table.ts";
import { insertWorkflow } from "../store/workflows/workflow-changes.ts";
import { listPinMarks, putPin } from "../store/workflows/workflow-pins.ts";
import { createWorkflowPurgeJob } from "./purge-workflow-runs.ts";

const dayMs = 86_400_000;
const nowMs = 100 * dayMs;

let dataDir: string;
let store: Store;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-purge-"));
  store = await openTestStore({ dataDir });
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

/** Adds a run that ended this many days ago, with steps. */
async function addRun(daysAgo: number, steps: number): Promise<void> {
  const endedAt = nowMs - daysAgo * dayMs;
  const run = newWorkflowRun({ createdAt: endedAt });
  const accepted = await store.workflowRuns.accept({
    run,
    queue: queueOf(),
    deliveryId: run.id,
    claimBy: "one",
  });
  if (accepted.kind !== "started") throw new Error(`The run is ${accepted.kind}`);
  await store.workflowRuns.commit({
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
}

const purge = (days: number, isOver = () => false) =>
  createWorkflowPurgeJob({
    db: store.db,
    now: () => nowMs,
    readRetentionDays: async () => days,
  }).run(isOver);
const countRuns = async () =>
  (await listWorkflowRuns(store.db, { workflowId: "wf", limit: 1000 })).length;
const countSteps = async () => (await runSql(store.db, "select * from workflow_steps")).length;
const countDeliveries = async () =>
  (await runSql(store.db, "select * from workflow_deliveries")).length;

test("Ended runs past their retention are purged with their steps, in any number", async () => {
  for (let count = 0; count < 50; count += 1) await addRun(31, 3);
  await addRun(31, 120);
  await addRun(29, 2);
  await store.workflowRuns.accept({
    run: newWorkflowRun({ createdAt: 0 }),
    queue: queueOf(),
    deliveryId: null,
    claimBy: null,
  });
  await purge(30);
  expect([await countRuns(), await countSteps()]).toEqual([2, 2]);
  await purge(28);
  expect([await countRuns(), await countSteps()]).toEqual([1, 0]);
});

test("Deliveries are purged after a day", async () => {
  for (const days of [0.9, 1.1, 2]) await addRun(days, 0);
  await purge(30);
  expect([await countRuns(), await countDeliveries()]).toEqual([3, 1]);
});

test("A purge that must end leaves the rest to the next one", async () => {
  for (let count = 0; count < 30; count += 1) await addRun(31, 1);
  let asked = 0;
  await purge(30, () => {
    asked += 1;
    // After the deliveries, the requests to webhooks and one batch of runs.
    return asked > 3;
  });
  expect(await countRuns()).toBe(10);
  await purge(30);
  expect(await countRuns()).toBe(0);
});

test("Pins of a former owner go", async () => {
  const { id: ownerId } = await insertUser(store.db, newUser());
  const workflow = newWorkflow(ownerId);
  await insertWorkflow(store.db, workflow);
  const scope = { workflowId: workflow.id, ownerId: "former" };
  const pin = { nodeId: "a", output: "1", bytes: 1, pinnedBy: "former", pinnedAt: 1 };
  await transaction(store.db, (trx) => putPin(trx, scope, pin));
  await purge(30);
  expect(await listPinMarks(store.db, scope)).toEqual([]);
});
