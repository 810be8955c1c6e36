/**
 * The audit on PostgreSQL stays fast with any number of runs: each statement reads along an index, and a
 * number of rows that does not depend on the number of runs. `runs-table-sqlite.test.ts` shows it for SQLite.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { SQL } from "bun";
import type { Db } from "../../packages/server/src/store/database/database.ts";
import { countRuns } from "../../packages/server/src/store/runs/run-counts.ts";
import { countRunHours } from "../../packages/server/src/store/runs/run-hours.ts";
import { listRunPage, type RunPageFilter } from "../../packages/server/src/store/runs/run-pages.ts";
import { runsScannedMax } from "../../packages/server/src/store/runs/run-scans.ts";
import {
  cancelInterruptedRuns,
  findRun,
  listRetries,
  listRuns,
  purgeRuns,
} from "../../packages/server/src/store/runs/runs-table.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { type ExplainedStatement, openExplained } from "./support/explain-statements.ts";

const filledRuns = 30_000;
const fillRuns = resolve(import.meta.dirname, "../../scripts/fill-runs.ts");
const dayMs = 86_400_000;

let server: PostgresServer;
let url: string;
let known: { row: string; rareRow: string; user: string; rareUser: string; parent: string };
beforeAll(async () => {
  server = await startPostgres();
  url = await server.createDatabase();
  const fill = Bun.spawn([process.execPath, fillRuns, "--runs", String(filledRuns)], {
    env: { ...process.env, HUB_DATABASE_URL: url },
    stdio: ["ignore", "ignore", "inherit"],
  });
  expect(await fill.exited).toBe(0);
  await using sql = new SQL({ url, max: 1 });
  const byRuns = async (column: string): Promise<string[]> => {
    const found = await sql.unsafe(`
      select ${column} as id from connector_runs where ${column} is not null
      group by 1 order by count(*) desc`);
    return found.map(({ id }: { id: string }) => id);
  };
  for (const id of ["idle-1", "idle-2"]) {
    await sql.unsafe(`insert into connector_rows
      (id, connector_key, label, description, disabled, version, created_at, updated_at)
      values ('${id}', 'idle', '${id}', '', 0, 1, 0, 0)`);
  }
  const [rows, users] = [await byRuns("connector_id"), await byRuns("user_id")];
  const [retry] = await sql.unsafe("select max(parent_run_id) as parent from connector_runs");
  known = {
    row: rows[0] ?? "",
    rareRow: rows.at(-1) ?? "",
    user: users[0] ?? "",
    rareUser: users.at(-1) ?? "",
    parent: retry.parent,
  };
});
afterAll(() => server[Symbol.asyncDispose]());

async function explain(query: (db: Db) => Promise<unknown>): Promise<ExplainedStatement[]> {
  await using explained = openExplained(url);
  await query(explained.db);
  return explained.take();
}

const toRows = (explained: ExplainedStatement[]) =>
  explained.reduce((sum, { rowsRead }) => sum + rowsRead, 0);
const toSteps = (explained: ExplainedStatement[]) =>
  explained.flatMap(({ steps }) => steps.filter((step) => step.includes("connector_runs")));

/** A run id of the given age. */
function toId(daysAgo: number): string {
  const time = Math.trunc(Date.now() - daysAgo * dayMs)
    .toString(16)
    .padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

type Page = [filter: () => Partial<RunPageFilter>, index: RegExp, rowsMax: number];
/** A frequent condition may be read along the ids as well: then it drops a few rows. */
const pages: Record<string, Page> = {
  "all runs": [() => ({}), /_pkey$/, 50],
  "all runs, deep": [() => ({ before: toId(20) }), /_pkey$/, 50],
  "the runs of an hour": [
    () => ({
      startedFrom: Date.now() - 20 * dayMs,
      startedBefore: Date.now() - 20 * dayMs + 3.6e6,
    }),
    /_pkey$/,
    100,
  ],
  "the calls of a message": [() => ({ causeId: known.row }), /_cause$/, 0],
  "all runs without the calls of messages": [() => ({ withoutInner: true }), /_pkey$/, 2_000],
  "a busy row's runs": [() => ({ connectorId: known.row }), /_(connector|pkey)$/, 1_000],
  "a rare row's runs, deep": [
    () => ({ connectorId: known.rareRow, before: toId(20) }),
    /_connector$/,
    150,
  ],
  "a busy user's runs": [() => ({ userId: known.user }), /_(user|pkey)$/, 1_000],
  "a rare user's runs": [() => ({ userId: known.rareUser }), /_user$/, 150],
  "an unknown user's runs": [() => ({ userId: "x" }), /_user$/, 0],
  "failed runs": [() => ({ status: "error" }), /_status$/, 50],
  "denied runs, deep": [() => ({ status: "denied", before: toId(20) }), /_status$/, 150],
  "running runs": [() => ({ status: "running" }), /_status$/, 0],
  "successful runs": [() => ({ status: "success" }), /_pkey$/, 100],
  tests: [() => ({ source: "test" }), /_source$/, 50],
  "retries, deep": [() => ({ source: "retry", before: toId(20) }), /_source$/, 150],
  "runs with a text in the error": [() => ({ errorText: "failed" }), /_error$/, 4_000],
  "a connector without runs": [() => ({ connectorKey: "idle" }), /_pkey$/, 4 * runsScannedMax],
  "an operation without runs": [() => ({ operationKey: "none" }), /_pkey$/, 2 * runsScannedMax],
  "one user's runs of a row": [
    () => ({ connectorId: known.row, userId: known.rareUser }),
    /_(connector|pkey)$/,
    2 * runsScannedMax + filledRuns,
  ],
};

describe("a page of the history", () => {
  for (const [name, [filter, index, rowsMax]] of Object.entries(pages)) {
    test(`A page of ${name} reads along an index, and a bounded number of rows`, async () => {
      const explained = await explain((db) => listRunPage(db, { limit: 50, ...filter() }));
      const steps = toSteps(explained);
      expect(steps).not.toBeEmpty();
      for (const step of steps) expect(step).toMatch(index);
      expect(explained.flatMap((each) => each.steps)).not.toContain("Sort");
      expect(toRows(explained)).toBeLessThanOrEqual(rowsMax);
    });
  }
});

test("A count of runs reads along an index, and a bounded number of rows", async () => {
  for (const filter of [{}, { userId: known.rareUser }]) {
    const counted = await explain((db) => countRuns(db, filter));
    expect(toSteps(counted).join()).not.toContain("Seq Scan");
    expect(toRows(counted)).toBeLessThanOrEqual(4 * runsScannedMax);
  }
});

test("A run, its retries and the running runs are found by an index", async () => {
  const one = await explain((db) => findRun(db, toId(20)));
  expect(toSteps(one)).toEqual(["Index Scan connector_runs_pkey"]);
  const retries = await explain((db) => listRetries(db, known.parent));
  expect(toSteps(retries).join()).toContain("connector_runs_parent");
  expect(toRows(retries)).toBeLessThan(10);
  const running = await explain((db) => listRuns(db, { status: "running", limit: 1000 }));
  expect(toSteps(running).join()).toContain("connector_runs_status");
  expect(toRows(running)).toBe(0);
});

test("The clean-up of interrupted runs reads only the running runs", async () => {
  const cancel = await explain((db) => cancelInterruptedRuns(db, { dead: ["x"], at: 1 }));
  expect(toSteps(cancel).join()).toContain("Index Scan connector_runs_status");
  expect(toRows(cancel)).toBe(0);
});

test("Runs are counted in parts of bounded size", async () => {
  const counted = await explain((db) => countRunHours(db, { endedBefore: Date.now() }));
  expect(toSteps(counted).join()).not.toContain("Seq Scan");
  // The end of the part, the runs by hour, their bytes, and the bytes of their users.
  expect(toRows(counted)).toBeLessThan(4 * 5_000 + 100);
});

test("A batch of the purge does not read the runs that earlier batches deleted", async () => {
  await using explained = openExplained(url);
  await using other = new SQL({ url, max: 1 });
  // The snapshot of a back-up keeps what is deleted meanwhile.
  await other.unsafe("begin isolation level repeatable read");
  await other.unsafe("select 1 from connector_runs limit 1");
  const bounds = { endedBefore: Date.now() - 10 * dayMs, limit: 10 };
  let endedFrom: number | null = null;
  const pagesRead: number[] = [];
  for (let batch = 0; batch < 200; batch++) {
    ({ endedAt: endedFrom } = await purgeRuns(explained.db, { ...bounds, endedFrom }));
    const purge = explained.take();
    expect(toSteps(purge).join()).toContain("Index Scan connector_runs_ended");
    expect(toRows(purge)).toBeLessThanOrEqual(30);
    pagesRead.push(purge.reduce((sum, { pagesRead: pages }) => sum + pages, 0));
  }
  // Without the end of the batch before, the last one reads five times as many pages as the first.
  expect(pagesRead.at(-1)).toBeLessThan(2 * (pagesRead[0] ?? 0));
  await other.unsafe("rollback");
});
