import { Database } from "bun:sqlite";
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { amount } from "../lib/testing/amount.ts";
import { transaction } from "./database/database.ts";
import { toKysely } from "./database/kysely.ts";
import { migrations } from "./migrate.ts";
import { openStore } from "./open-store.ts";
import { insertRow, listRows } from "./rows/rows-table.ts";
import { setTypeState } from "./rows/switches.ts";
import { cancelInterruptedRuns, findRun, listRuns } from "./runs/runs-table.ts";
import { beatInstance, insertInstance } from "./servers/instances.ts";
import type { Store } from "./store.ts";
import { newFinishedRun, newRow, newRun, newUser, outcome } from "./test-data.ts";
import { insertUser } from "./users/users-table.ts";

let resources: AsyncDisposableStack;
let dataDir: string;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  const parent = await mkdtemp(join(tmpdir(), "hub-store-"));
  resources.defer(() => rm(parent, { recursive: true }));
  dataDir = join(parent, "data", "hub");
});
afterEach(() => resources.disposeAsync());

async function open(given: { busyWaitMsMax?: number } = {}): Promise<Store> {
  const store = await openStore({ dataDir, ...given });
  resources.defer(() => store.close());
  return store;
}

/** The database as another program has it open. */
function openOther(): Database {
  const database = new Database(join(dataDir, "hub.sqlite"));
  resources.defer(() => database.close());
  return database;
}

/** Runs code in another process, with `store` open on the data folder. */
function spawnOther(code: string) {
  const program = `
    import { openStore } from ${JSON.stringify(import.meta.resolve("./open-store.ts"))};
    import { setTypeState } from ${JSON.stringify(import.meta.resolve("./rows/switches.ts"))};
    import { beatInstance, insertInstance } from ${JSON.stringify(import.meta.resolve("./servers/instances.ts"))};
    import { updateUser } from ${JSON.stringify(import.meta.resolve("./users/users-table.ts"))};
    import { newRun } from ${JSON.stringify(import.meta.resolve("./test-data.ts"))};
    const store = await openStore({ dataDir: ${JSON.stringify(dataDir)} });
    ${code}`;
  return Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
}

async function readLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) break;
  }
  return text.trim();
}

test("The data folder and its files are private to their owner", async () => {
  const store = await open();
  await insertRow(store.db, newRow());
  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  const files = await readdir(dataDir);
  expect(files.sort()).toEqual(["hub.sqlite", "hub.sqlite-shm", "hub.sqlite-wal"]);
  for (const file of files) expect((await stat(join(dataDir, file))).mode & 0o777).toBe(0o600);
});

test("A commit is on disk before it returns, and SQLite's own busy wait is off", async () => {
  const { db } = await open();
  const read = async (pragma: string) =>
    Object.values(
      (await sql.raw<object>(`pragma ${pragma}`).execute(toKysely(db))).rows[0] ?? {},
    )[0];
  expect(await read("busy_timeout")).toBe(0);
  expect(await read("journal_mode")).toBe("wal");
  expect(await read("synchronous")).toBe(2);
  expect(await read("foreign_keys")).toBe(1);
});

test("After close, the database is one file with all data", async () => {
  const store = await open();
  const row = await insertRow(store.db, newRow({ tags: ["ops"] }));
  await store.close();
  expect(await readdir(dataDir)).toEqual(["hub.sqlite"]);
  expect(await listRows((await open()).db)).toEqual([row]);
});

test("A new or current database logs no migration", async () => {
  const logged: unknown[] = [];
  const note = (fields: object, message: string) => logged.push({ ...fields, message });
  const log = { info: note, warn: note };
  for (let start = 0; start < 2; start++) await (await openStore({ dataDir, log })).close();
  expect(logged).toEqual([]);
});

test("The error for a data folder that is a file names it", async () => {
  await mkdir(join(dataDir, ".."), { recursive: true });
  await writeFile(dataDir, "");
  await expect(openStore({ dataDir })).rejects.toMatchObject({
    code: "bad_configuration",
    localMessage: expect.stringContaining(dataDir),
  });
});

const isRoot = process.getuid?.() === 0;
const skipReason = isRoot ? " (skipped: root may write anywhere)" : "";
test.skipIf(isRoot)(`A folder without write permission is refused${skipReason}`, async () => {
  await mkdir(dataDir, { recursive: true });
  await chmod(dataDir, 0o500);
  await expect(openStore({ dataDir })).rejects.toMatchObject({ code: "bad_configuration" });
});

test("A file that is not a database is refused and kept", async () => {
  await mkdir(dataDir, { recursive: true });
  const text = "not a database at all ".repeat(100);
  await writeFile(join(dataDir, "hub.sqlite"), text);
  await expect(openStore({ dataDir })).rejects.toMatchObject({
    code: "bad_configuration",
    localMessage: expect.stringContaining("the file is damaged"),
  });
  expect(await Bun.file(join(dataDir, "hub.sqlite")).text()).toBe(text);
});

test("A database of a newer hub is refused", async () => {
  await (await open()).close();
  openOther().run(
    "insert into migrations (name, checksum, applied_at, level) values ('999-later', 'checksum', 0, 9)",
  );
  await expect(openStore({ dataDir })).rejects.toMatchObject({
    code: "bad_configuration",
    message: expect.stringContaining("more than one version newer"),
  });
});

test("Processes that start together on a new folder open it one after another", async () => {
  const starts = amount([1, 2], [1, 2, 3]).map(() => spawnOther("await store.close();"));
  const codes = await Promise.all(starts.map((start) => start.exited));
  expect(codes).toEqual(starts.map(() => 0));
  const { db } = await open();
  const applied = await sql`select name from migrations`.execute(toKysely(db));
  expect(applied.rows).toEqual(migrations.map(({ name }) => ({ name })));
});

test("A change by another process is visible to the next read", async () => {
  const { reads } = await open();
  const revision = await reads.readRevision();
  const other = spawnOther("await setTypeState(store.db, 'http', true); await store.close();");
  expect(await other.exited).toBe(0);
  const snapshot = await reads.loadSnapshot();
  expect(snapshot.revision).toBeGreaterThan(revision);
  expect(snapshot.typeDisabled).toEqual(new Set(["http"]));
});

test("A user who is disabled by another process is disabled for the next read", async () => {
  const { db, reads } = await open();
  const { id } = await insertUser(db, newUser());
  expect(await reads.findUserAccess(id)).toMatchObject({ status: "active" });
  const change = `await updateUser(store.db, "${id}", { status: "disabled" }, 1); await store.close();`;
  expect(await spawnOther(change).exited).toBe(0);
  expect(await reads.findUserAccess(id)).toMatchObject({ status: "disabled" });
});

test("Runs of a killed process are stored and can be cancelled; the others continue", async () => {
  const { db, runs } = await open();
  const start = { kind: "serve" as const, pid: process.pid, hostname: "box", startedAt: 2_000 };
  await insertInstance(db, { ...start, id: "this" });
  const mine = newRun({ instanceId: "this" });
  await runs.begin(mine);
  const other = spawnOther(`
    await insertInstance(store.db, { id: "other", kind: "serve", pid: 1, hostname: "box", startedAt: 1_000 });
    const run = newRun({ instanceId: "other" });
    await store.runs.begin(run);
    console.log(run.id);
    setInterval(() => {}, 1_000);`);
  const theirs = await readLine(other.stdout);
  other.kill("SIGKILL");
  await other.exited;
  expect(await findRun(db, theirs)).toMatchObject({ status: "running", instanceId: "other" });
  expect(await cancelInterruptedRuns(db, { dead: ["other"], at: Date.now() })).toBe(1);
  expect(await findRun(db, theirs)).toMatchObject({ status: "cancelled" });
  expect(await findRun(db, mine.id)).toMatchObject({ status: "running" });
});

test("A write waits for another program without blocking the event loop", async () => {
  const { db, runs, reads } = await open();
  const other = openOther();
  other.run("begin immediate");
  const writes = [setTypeState(db, "http", true), runs.insertFinished(newFinishedRun())];
  // If SQLite itself waited, this turn would never come while the lock is held.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect((await reads.loadSnapshot()).typeDisabled.size).toBe(0);
  other.run("commit");
  await Promise.all(writes);
  expect((await reads.loadSnapshot()).typeDisabled.size).toBe(1);
  expect(await listRuns(db, { limit: 10 })).toHaveLength(1);
});

test("A locked database fails with advice, and works when it is unlocked", async () => {
  const { db, runs } = await open({ busyWaitMsMax: 10 });
  const other = openOther();
  other.run("begin immediate");
  const refusal = {
    code: "unavailable",
    message: expect.stringContaining("keeps its database locked"),
  };
  const run = newRun();
  await expect(runs.begin(run)).rejects.toMatchObject(refusal);
  await expect(setTypeState(db, "http", true)).rejects.toMatchObject(refusal);
  other.run("rollback");
  await runs.begin(run);
  await setTypeState(db, "http", true);
});

test("A transaction that cannot begin waits once, and its work does not run", async () => {
  const { db } = await open({ busyWaitMsMax: 10 });
  const other = openOther();
  other.run("begin immediate");
  let attempts = 0;
  const refused = transaction(db, async () => {
    attempts += 1;
  });
  await expect(refused).rejects.toThrow("keeps its database locked");
  expect(attempts).toBe(0);
  other.run("rollback");
});

test("A queued write waits no longer for a locked database than the writes before it", async () => {
  const waitMs = 200;
  const { db } = await open({ busyWaitMsMax: waitMs });
  const other = openOther();
  other.run("begin immediate");
  let isTimerOver = false;
  const writes = Array.from({ length: 20 }, (_, index) =>
    index % 2 === 0 ? setTypeState(db, "http", true) : beatInstance(db, "none", 1),
  );
  const settled = Promise.allSettled(writes);
  await expect(writes[0]).rejects.toThrow("keeps its database locked");
  // The others have waited as long. One after another, they would take twice what this timer takes.
  const timer = setTimeout(() => {
    isTimerOver = true;
  }, waitMs * 5);
  expect(new Set((await settled).map(({ status }) => status))).toEqual(new Set(["rejected"]));
  clearTimeout(timer);
  expect(isTimerOver).toBe(false);
  other.run("rollback");
});

test("An unexpected failure is rolled back, so that the next call works", async () => {
  const { runs } = await open();
  const other = openOther();
  other.run("alter table connector_runs rename to hidden");
  await expect(runs.begin(newRun())).rejects.toMatchObject({ code: "internal" });
  other.run("alter table hidden rename to connector_runs");
  await runs.begin(newRun());
});

test("On a full disk every call fails with advice, without partial writes, and works again later", async () => {
  const { db, runs } = await open();
  const setPagesMax = (pages: number) =>
    sql.raw(`pragma max_page_count = ${pages}`).execute(toKysely(db));
  const run = newRun();
  await runs.begin(run);
  await setPagesMax(1);
  const request = JSON.stringify("x".repeat(16_000));
  const refused = await Promise.allSettled([
    runs.begin(newRun({ request: null })),
    ...Array.from({ length: 20 }, () => runs.begin(newRun({ request }))),
    runs.finish(run.id, outcome),
  ]);
  for (const result of refused) {
    expect(result.status === "rejected" && result.reason.message).toContain("its disk is full");
  }
  const values = [{ key: "a", value: request, sealed: null }];
  await expect(insertRow(db, newRow({ values }))).rejects.toThrow("its disk is full");
  expect(await listRows(db)).toEqual([]);
  expect(await listRuns(db, { limit: 10 })).toMatchObject([{ id: run.id, status: "running" }]);
  await setPagesMax(1_000_000);
  await runs.begin(newRun());
  expect(await findRun(db, run.id)).toMatchObject({ status: "success" });
  expect(await listRuns(db, { limit: 10 })).toHaveLength(2);
});
