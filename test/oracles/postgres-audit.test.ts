/** Audit writes on PostgreSQL: isolation levels, conflicts and late answers. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { transaction } from "../../packages/server/src/store/database/database.ts";
import { openPostgresStore } from "../../packages/server/src/store/postgres/open-postgres.ts";
import { newFinishedRun, newRun, outcome } from "../../packages/server/src/store/test-data.ts";
import { runSql } from "../../packages/server/src/store/testing/run-sql.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { waitFor } from "../support/wait-for.ts";

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

async function openStore() {
  const url = await server.createDatabase();
  const database = new SQL({ url, max: 2 });
  const store = await openPostgresStore({ url });
  return {
    ...store,
    url,
    database,
    async listStatuses(): Promise<string[]> {
      const runs = await database.unsafe("select status from connector_runs order by id");
      return runs.map((run: { status: string }) => run.status);
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      await database.close();
    },
  };
}

const countWaiting =
  "select count(*)::int as n from pg_stat_activity where wait_event_type = 'Lock'";

async function isBlocked(database: SQL): Promise<boolean> {
  const [found] = await database.unsafe(`${countWaiting} and datname = current_database()`);
  return found.n > 0;
}

test("The audit works at read committed, whatever the default of the database is", async () => {
  const url = await server.createDatabase();
  await using database = new SQL({ url, max: 1 });
  const name = new URL(url).pathname.slice(1);
  await database.unsafe(
    `alter database ${name} set default_transaction_isolation to 'serializable'`,
  );
  const store = await openPostgresStore({ url });
  const runs = Array.from({ length: 2 }, () => newRun());
  for (const run of runs) await store.runs.begin(run);
  // At a higher level, the update of a row that others changed meanwhile would fail.
  await database.unsafe("begin isolation level read committed");
  await database.unsafe("update connector_runs set row_label = 'changed'");
  const ended = Promise.all(runs.map(({ id }) => store.runs.finish(id, outcome)));
  await waitFor(async () => await isBlocked(database));
  await database.unsafe("commit");
  await ended;
  await store.close();
});

test("A batch of the audit that loses a deadlock is written again", async () => {
  await using store = await openStore();
  const [one, two] = [newRun(), newRun()];
  await store.runs.begin(one);
  await store.runs.begin(two);
  await using other = new SQL({ url: store.url, max: 1 });
  // The batch fails first: the other one waits longer for the cycle to be found.
  await other.unsafe("set deadlock_timeout to '1h'");
  const touch = (id: string) =>
    other.unsafe(`update connector_runs set row_label = 'x' where id = '${id}'`);
  await other.unsafe("begin");
  await touch(two.id);
  const ended = Promise.all([one, two].map(({ id }) => store.runs.finish(id, outcome)));
  await waitFor(async () => await isBlocked(store.database));
  await touch(one.id);
  await other.unsafe("commit");
  await ended;
  expect(await store.listStatuses()).toEqual(["success", "success"]);
});

test("The outcome of a refused run stays, before and after its late first write", async () => {
  await using store = await openStore();
  const [early, late] = [newFinishedRun(), newFinishedRun()];
  await store.runs.begin(early);
  await store.runs.insertFinished(early);
  await store.runs.insertFinished(late);
  await store.runs.begin(late).catch(() => {});
  expect(await store.listStatuses()).toEqual([early.status, late.status]);
});

test("The database ends the transaction of a process that is paused, so that others go on", async () => {
  await using store = await openStore();
  const settings = await transaction(store.db, (trx) =>
    runSql(trx, "select current_setting('idle_in_transaction_session_timeout') as idle"),
  );
  expect(settings).toEqual([{ idle: "4s" }]);
});

test("The audit leaves columns of the next version to their defaults", async () => {
  await using store = await openStore();
  await store.database.unsafe(
    "alter table connector_runs add column later text not null default 'the default'",
  );
  const run = newRun();
  await store.runs.begin(run);
  await store.runs.finish(run.id, outcome);
  await store.runs.insertFinished({ ...newFinishedRun(), id: Bun.randomUUIDv7() });
  expect(await store.listStatuses()).toEqual(["success", "success"]);
  const found = await store.database.unsafe("select distinct later from connector_runs");
  expect([...found]).toEqual([{ later: "the default" }]);
});
