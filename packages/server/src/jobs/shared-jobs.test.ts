import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../store/store.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { runSql } from "../store/testing/run-sql.ts";
import { createSharedJobs } from "./shared-jobs.ts";

let dataDir: string;
let store: Store;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-shared-jobs-"));
  store = await openTestStore({ dataDir });
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

/** A server with one job, which runs until the test ends it or it is over. */
function openServer({ everyMs = 3_600_000 } = {}) {
  const clock = { ms: 0 };
  const failures: unknown[] = [];
  const started: Array<{ isOver(): boolean; end(failure?: Error): void }> = [];
  const job = {
    name: "purge",
    everyMs,
    runsAtStart: true,
    run(isOver = () => false) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      started.push({ isOver, end: (failure) => (failure ? reject(failure) : resolve()) });
      return promise;
    },
  };
  const jobs = createSharedJobs([job], {
    db: store.db,
    instanceId: "this",
    onFailure: (_name, failure) => failures.push(failure),
    readMs: () => clock.ms,
  });
  return { ...jobs, clock, failures, started };
}

const readJob = async () => {
  const rows = await runSql(store.db, "select holder is null as free, due_at from periodic_jobs");
  return rows[0];
};
async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve));
}
const isFree = async () => Object(await readJob()).free === 1;
/** What a server does that finds nothing to do: it asks, and claims nothing. */
async function expectIdle(server: ReturnType<typeof openServer>): Promise<void> {
  const before = server.started.length;
  await server.runDue();
  await new Promise((resolve) => setImmediate(resolve));
  expect(server.started.length).toBe(before);
}

test("Of two servers one runs a job, and it is not due again in its period", async () => {
  const [one, two] = [openServer(), openServer()];
  await Promise.all([one.runDue(), two.runDue()]);
  await until(() => one.started.length + two.started.length === 1);
  await expectIdle(one);
  await expectIdle(two);
  for (const { end } of [...one.started, ...two.started]) end();
  await until(isFree);
  await expectIdle(one);
  await expectIdle(two);
});

test("A job is due again after its period, on any server", async () => {
  const [one, two] = [openServer({ everyMs: 0 }), openServer({ everyMs: 0 })];
  await one.runDue();
  await until(() => one.started.length === 1);
  one.started[0]?.end();
  await until(isFree);
  await two.runDue();
  await until(() => two.started.length === 1);
  two.started[0]?.end();
  await two.stop();
});

test("A job whose server died is run by another one, however long its period is", async () => {
  const [dead, other] = [openServer(), openServer()];
  await dead.runDue();
  await until(() => dead.started.length === 1);
  await expectIdle(other);
  await runSql(store.db, "update periodic_jobs set held_until = 1");
  await other.runDue();
  await until(() => other.started.length === 1);
  other.started[0]?.end();
  dead.started[0]?.end();
  await Promise.all([dead.stop(), other.stop()]);
  expect(await isFree()).toBe(true);
});

test("A paused server stops its job when it goes on, and leaves the claim of another alone", async () => {
  const [paused, other] = [openServer(), openServer()];
  await paused.runDue();
  await until(() => paused.started.length === 1);
  expect(paused.started[0]?.isOver()).toBe(false);
  await runSql(store.db, "update periodic_jobs set held_until = 1");
  await other.runDue();
  await until(() => other.started.length === 1);
  paused.clock.ms += 20_000;
  expect(paused.started[0]?.isOver()).toBe(true);
  paused.started[0]?.end();
  await paused.stop();
  expect(await isFree()).toBe(false);
  expect(other.started[0]?.isOver()).toBe(false);
  other.started[0]?.end();
  await other.stop();
});

test("A server that stops leaves the rest of its job to others at once", async () => {
  const [closing, other] = [openServer(), openServer()];
  await closing.runDue();
  await until(() => closing.started.length === 1);
  const stopped = closing.stop();
  expect(closing.started[0]?.isOver()).toBe(true);
  closing.started[0]?.end();
  await stopped;
  await other.runDue();
  await until(() => other.started.length === 1);
  other.started[0]?.end();
  await other.stop();
});

test("A failed job is reported, and runs again after its period", async () => {
  const server = openServer();
  await server.runDue();
  await until(() => server.started.length === 1);
  server.started[0]?.end(new Error("no"));
  await until(() => server.failures.length === 1);
  expect(await isFree()).toBe(true);
  await expectIdle(server);
});
