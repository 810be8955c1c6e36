import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../config.ts";
import { createSessions } from "../identity/browser-sessions.ts";
import { openSession } from "../identity/testing/open-test-session.ts";
import { createTokenUses } from "../identity/token-uses.ts";
import { openInstance } from "../jobs/keep-instance.ts";
import { createLog, type Log } from "../lib/logs/create-log.ts";
import type { InstanceKind } from "../store/database/tables/hub-tables.ts";
import { insertOAuthClient } from "../store/oauth/oauth-clients.ts";
import { requestCancellation } from "../store/runs/run-cancellations.ts";
import { listRuns } from "../store/runs/runs-table.ts";
import { setStoredSetting } from "../store/settings/settings-table.ts";
import type { Store } from "../store/store.ts";
import {
  newFinishedRun,
  newRun,
  newToken,
  newUser,
  newWorkflowRun,
  queueOf,
} from "../store/test-data.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { runSql } from "../store/testing/run-sql.ts";
import { insertToken, listTokens } from "../store/users/tokens-table.ts";
import { insertUser } from "../store/users/users-table.ts";
import { listJobs, startJobs } from "./start-jobs.ts";

const dayMs = 86_400_000;
const startedAt = 1_000_000 * dayMs;

let dataDir: string;
let store: Store;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-jobs-"));
  store = await openTestStore({ dataDir });
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

async function openParts(kind: InstanceKind) {
  const clock = { time: startedAt };
  const cancelled: string[] = [];
  const now = () => clock.time;
  const parts = {
    store,
    now,
    config: loadConfig({ cwd: dataDir, env: { HUB_DATA_DIR: dataDir } }).config,
    log: createLog("silent"),
    uses: createTokenUses(),
    operations: {
      running: { cancel: (id: string) => cancelled.push(id) > 0 },
      catalogue: { prepareSearch: async () => {} },
    },
    cancelRequest: () => {},
    more: { own: [], common: [] },
    openWorkflowsIfAny: async () => {},
  };
  const locks = store.instanceLocks;
  const instanceDeps = {
    db: store.db,
    clock: { now, measure: async () => {}, offsetMs: () => 0 },
    locks,
  };
  const { instance, close } = await openInstance(instanceDeps, { kind, version: "1" });
  return { parts, instance, clock, cancelled, close };
}

/** Runs one job of a server once. */
async function runJob(name: string, opened: Awaited<ReturnType<typeof openParts>>) {
  const { own, common } = listJobs(opened.parts, opened.instance);
  const job = [...own, ...common].find((one) => one.name === name);
  await job?.run();
}

const duringCalls = ["heartbeat", "poll-cancellations"];
const ofEach = [...duringCalls, "recover-runs", "token-uses", "memory", "check-disk"];
const ofDatabase = [
  ...["end-pending-calls", "purge-pending-calls"],
  ...["purge-oauth", "purge-sessions", "purge-sign-in-counters", "count-runs", "purge-runs"],
  ...["limit-run-bytes", "purge-embeddings", "purge-workflow-runs"],
];

describe("Each kind of process has its jobs", () => {
  test.each([
    ["serve", [...ofEach, "check-integrity", "workflows", "release-workflow-runs"], ofDatabase],
    ["stdio", ofEach, ofDatabase],
    ["cli", duringCalls, []],
  ] as const)("%s", async (kind, own, common) => {
    const { parts, instance, close } = await openParts(kind);
    const jobs = listJobs(parts, instance);
    expect(jobs.own.map(({ name }) => name)).toEqual([...own]);
    expect(jobs.common.map(({ name }) => name)).toEqual([...common]);
    await close();
  });
});

describe("A job of the hub works on the hub's own data", () => {
  test("Runs are purged by the stored retention, not by the default", async () => {
    const opened = await openParts("serve");
    await setStoredSetting(store.db, "HUB_AUDIT_RETENTION_DAYS", "30");
    for (const days of [29, 31]) {
      const endedAt = startedAt - days * dayMs;
      await store.runs.insertFinished(newFinishedRun({ operationKey: `${days} days`, endedAt }));
    }
    await runJob("purge-runs", opened);
    const left = (await listRuns(store.db, { limit: 10 })).map(({ operationKey }) => operationKey);
    expect(left).toEqual(["29 days"]);
    await opened.close();
  });

  test("Runs of workflows are purged by their stored retention", async () => {
    const opened = await openParts("serve");
    await setStoredSetting(store.db, "HUB_WORKFLOW_RETENTION_DAYS", "3");
    for (const days of [2, 4]) {
      const run = newWorkflowRun({ workflowId: `${days} days` });
      await store.workflowRuns.accept({ run, queue: queueOf(), deliveryId: null, claimBy: null });
      const endedAt = startedAt - days * dayMs;
      const end = "update workflow_runs set state = 'succeeded', ended_at = ? where id = ?";
      await runSql(store.db, end, endedAt, run.id);
    }
    await runJob("purge-workflow-runs", opened);
    const left = await runSql(store.db, "select workflow_id from workflow_runs");
    expect(left).toEqual([{ workflow_id: "2 days" }]);
    await opened.close();
  });

  test("A session is purged after seven days without use", async () => {
    const opened = await openParts("serve");
    const user = await insertUser(store.db, newUser());
    const sessions = createSessions({ db: store.db, now: opened.parts.now });
    await openSession({ db: store.db, now: opened.parts.now }, { userId: user.id });
    opened.clock.time += 7 * dayMs - 1;
    await runJob("purge-sessions", opened);
    expect(await sessions.listOf(user.id)).toHaveLength(1);
    opened.clock.time += 1;
    await runJob("purge-sessions", opened);
    expect(await runSql(store.db, "select * from sessions")).toEqual([]);
    await opened.close();
  });

  test("An application without an authorization is purged after a day", async () => {
    const opened = await openParts("serve");
    await insertOAuthClient(store.db, { id: "unused", metadata: "{}" }, startedAt);
    opened.clock.time += dayMs + 1;
    await runJob("purge-oauth", opened);
    expect(await runSql(store.db, "select * from oauth_clients")).toEqual([]);
    await opened.close();
  });

  test("The last use of a token is written", async () => {
    const opened = await openParts("serve");
    const user = await insertUser(store.db, newUser());
    const { id } = await insertToken(store.db, newToken(user.id, 1));
    opened.parts.uses.record(id, startedAt);
    await runJob("token-uses", opened);
    expect(await listTokens(store.db)).toMatchObject([{ id, lastUsedAt: startedAt }]);
    await opened.close();
  });

  test("A call that was cancelled in another process is cancelled here", async () => {
    const opened = await openParts("serve");
    const run = newRun({ instanceId: opened.instance.id });
    await store.runs.begin(run);
    await requestCancellation(store.db, { runId: run.id, reason: "not needed" }, Date.now());
    await runJob("poll-cancellations", opened);
    expect(opened.cancelled).toEqual([run.id]);
    await opened.close();
  });
});

test("Jobs marked for the start run at start", async () => {
  const { parts, instance, close } = await openParts("serve");
  const endedAt = startedAt - 8 * dayMs;
  await store.runs.insertFinished(newFinishedRun({ endedAt }));
  await insertOAuthClient(store.db, { id: "unused", metadata: "{}" }, startedAt - 2 * dayMs);
  const stop = startJobs(parts, instance);
  while ((await listRuns(store.db, { limit: 1 })).length > 0) await nextTurn();
  await stop();
  expect(await runSql(store.db, "select * from oauth_clients")).toEqual([]);
  await close();
});

test("Stopping waits for running jobs", async () => {
  const { parts, instance, close } = await openParts("serve");
  await insertOAuthClient(store.db, { id: "unused", metadata: "{}" }, startedAt - 2 * dayMs);
  await startJobs(parts, instance)();
  expect(await runSql(store.db, "select * from oauth_clients")).toEqual([]);
  await close();
});

test("A failed job is logged with its name", async () => {
  const { parts, instance, close } = await openParts("serve");
  const failures: unknown[] = [];
  // The test uses only this function of the log.
  const log = { error: (...given: unknown[]) => failures.push(given) } as unknown as Log;
  await runSql(store.db, "alter table oauth_clients rename to elsewhere");
  await startJobs({ ...parts, log }, instance)();
  await runSql(store.db, "alter table elsewhere rename to oauth_clients");
  expect(failures).toEqual([
    [{ job: "purge-oauth", err: expect.any(Error) }, expect.stringContaining("runs again")],
  ]);
  await close();
});

test("A purge stops with its process, and the next process continues it", async () => {
  const { parts, instance, close } = await openParts("serve");
  const endedAt = startedAt - 8 * dayMs;
  const ids = Array.from({ length: 250 }, () => Bun.randomUUIDv7());
  await Promise.all(ids.map((id) => store.runs.insertFinished(newFinishedRun({ id, endedAt }))));
  await startJobs(parts, instance)();
  expect((await listRuns(store.db, { limit: 500 })).length).toBeGreaterThanOrEqual(150);
  await close();
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
