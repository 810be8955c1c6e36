/**
 * Protects: runs are kept for as long as the setting says and not longer, and while old ones are
 * purged, in small batches, calls go on.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import type { DoctorReport } from "@hub/contract/doctor.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { readAnswer } from "./support/mcp-client.ts";
import { queryDatabase } from "./support/query-database.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { startHub } from "./support/start-hub.ts";
import { usesPostgres } from "./support/test-database.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const dayMs = 86_400_000;
const old = 16_000;
const recent = 500;

nightlyTest(
  "calls succeed while a large backlog is purged, and only what is past its time goes",
  async () => {
    await using folder = await createDataFolder();
    const first = await startHub({ isHere: true, dataDir: folder.path });
    const token = first.adminToken();
    await first.stop();
    makeJobsDue(folder.path);
    addRuns(folder.path, { count: old, daysAgo: 3.01, name: "old" });
    // Rows that end during the test are near enough; one that never ended has no age.
    addRuns(folder.path, { count: recent, daysAgo: 2.99, name: "recent" });

    await using hub = await startHub({
      isHere: true,
      dataDir: folder.path,
      env: { HUB_AUDIT_RETENTION_DAYS: "3" },
    });
    const left: number[] = [];
    let calls = 0;
    const work = async () => {
      do {
        const marker = `call ${calls}`;
        calls += 1;
        const message = toToolCall("hub_search", { query: marker });
        const reply = await postRpc(hub.url, token, message);
        expect(readAnswer(JSON.parse(await reply.text()).result).isError).toBeFalse();
        expect(countRuns(folder.path, `request = '{"query":"${marker}"}'`)).toBe(1);
        left.push(countRuns(folder.path, "operation_key = 'old'"));
      } while (left.at(-1) !== 0);
    };
    // Another process beside it writes and reads as well.
    const command = hub.cli("user", "add", "ada@example.com");
    await Promise.all([work(), work(), work(), work()]);
    await command;

    expect(countRuns(folder.path, "operation_key = 'recent'")).toBe(recent);
    expect(countRuns(folder.path, "operation_key = 'hub_search'")).toBe(calls);
    // Calls came in between batches, and those were of a hundred.
    const meanwhile = left.filter((count) => count > 0 && count < old);
    expect(meanwhile.filter((count) => count % 100 !== 0)).toEqual([]);
    expect(meanwhile.filter((count) => count % 1000 !== 0).length).toBeGreaterThan(0);
  },
);

test("a server keeps what runs take below HUB_AUDIT_BYTES_MAX, but for the last 24 hours", async () => {
  await using folder = await createDataFolder();
  await (await startHub({ isHere: true, dataDir: folder.path })).stop();
  addRuns(folder.path, { count: 1000, daysAgo: 3, name: "old" });
  addRuns(folder.path, { count: 1000, daysAgo: 0.5, name: "recent" });
  countBytes(folder.path);
  makeJobsDue(folder.path);
  await using hub = await startHub({
    isHere: true,
    dataDir: folder.path,
    env: { HUB_AUDIT_BYTES_MAX: "100000" },
  });
  await waitFor(() => countRuns(folder.path, "operation_key = 'old'") === 0);
  expect(countRuns(folder.path, "operation_key = 'recent'")).toBe(1000);
  await waitFor(async () => {
    const { checks } = (await hub.cli("doctor", "--json")).json<DoctorReport>();
    const audit = checks.find(({ name }) => name === "audit");
    return audit?.status === "warn" && audit.message.includes("The last 24 hours alone");
  });
});

test("beyond HUB_AUDIT_BYTES_MAX the users who hold most lose their oldest runs, and are named", async () => {
  await using folder = await createDataFolder();
  const first = await startHub({ isHere: true, dataDir: folder.path });
  const add = async (email: string) =>
    (await first.cli("user", "add", email, "--json")).json<{ id: string }>().id;
  const [honest, flooder] = [await add("honest@x.example"), await add("flooder@x.example")];
  await first.stop();
  addRuns(folder.path, { count: 20, daysAgo: 4, name: "honest", userId: honest });
  addRuns(folder.path, { count: 900, daysAgo: 3, name: "flood", userId: flooder });
  countBytes(folder.path);
  makeJobsDue(folder.path);
  await using hub = await startHub({
    isHere: true,
    dataDir: folder.path,
    env: { HUB_AUDIT_BYTES_MAX: String(300 * 650) },
  });
  await waitFor(() => countRuns(folder.path, "operation_key = 'flood'") <= 300);
  expect(countRuns(folder.path, "operation_key = 'flood'")).toBeGreaterThan(50);
  expect(countRuns(folder.path, "operation_key = 'honest'")).toBe(20);
  const { checks } = (await hub.cli("doctor", "--json")).json<DoctorReport>();
  const audit = checks.find(({ name }) => name === "audit")?.message;
  expect(audit).toMatch(/most by flooder@x\.example: \d+ MiB, honest@x\.example: \d+ MiB/);
});

/** Servers on PostgreSQL share the daily jobs, so that a start does not run them again. */
function makeJobsDue(dataDir: string): void {
  if (usesPostgres) queryDatabase(dataDir, "delete from periodic_jobs");
}

/** As the hub counts them, some seconds after they ended. */
function countBytes(dataDir: string): void {
  queryDatabase(
    dataDir,
    `insert into run_bytes (hour, bytes)
     select ended_at / 3600000, count(*) * 650 from connector_runs where instance_id = 'gone' group by 1`,
  );
  queryDatabase(
    dataDir,
    `insert into user_run_bytes (day, user_id, bytes)
     select ended_at / 86400000, user_id, count(*) * 650 from connector_runs where instance_id = 'gone' group by 1, 2`,
  );
  queryDatabase(dataDir, `update run_hours_until set ended_before = ${Date.now()}`);
}

/** Writes finished runs past the program, which would take days to make them. */
function addRuns(
  dataDir: string,
  {
    count,
    daysAgo,
    name,
    userId = "absent",
  }: { count: number; daysAgo: number; name: string; userId?: string },
): void {
  const endedAt = Math.round(Date.now() - daysAgo * dayMs);
  // An id contains the start of its run.
  const idStart = Bun.randomUUIDv7("hex", endedAt).slice(0, -12);
  queryDatabase(
    dataDir,
    `insert into connector_runs
       (id, operation_key, user_id, source, status, request, request_cut, instance_id, started_at, ended_at)
     with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
     select '${idStart}' || (100000000000 + n), '${name}', '${userId}', 'mcp', 'success', '{}', 0, 'gone', ${endedAt}, ${endedAt}
     from numbers`,
  );
}

function countRuns(dataDir: string, condition: string): number {
  const [counted] = queryDatabase<{ n: number }>(
    dataDir,
    `select count(*) as n from connector_runs where ${condition}`,
  );
  return counted?.n ?? 0;
}
