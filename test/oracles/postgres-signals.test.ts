/** The clock and the signals that the servers of one PostgreSQL database share. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import {
  type ConnectionPool,
  createConnectionPool,
} from "../../packages/server/src/store/postgres/connections/connection-pool.ts";
import { openDatabaseClock } from "../../packages/server/src/store/postgres/database-clock.ts";
import { createPostgresSignals } from "../../packages/server/src/store/postgres/signals-postgres.ts";
import { type EmbeddedServer, startEmbedded } from "../support/postgres-server.ts";
import { waitFor } from "../support/wait-for.ts";

const owned = new AsyncDisposableStack();
let server: EmbeddedServer;
let pool: ConnectionPool;

beforeAll(async () => {
  server = owned.use(await startEmbedded());
  pool = createConnectionPool({
    connect: (events) => new SQL({ url: server.url, max: 2, bigint: true, ...events }),
  });
  owned.defer(() => pool.close());
});
afterAll(() => owned.disposeAsync());

const minuteMs = 60_000;

test("A clock that is off shows the database's time, also after it was set", async () => {
  let offMs = 5 * minuteMs;
  const clock = await openDatabaseClock({ pool, readOwnMs: () => Date.now() + offMs });
  const isRight = () => Math.abs(clock.now() - Date.now()) < minuteMs;
  expect([isRight(), Math.round(clock.offsetMs() / minuteMs)]).toEqual([true, -5]);
  offMs = -20 * minuteMs;
  expect(isRight()).toBe(false);
  await clock.measure();
  expect([isRight(), Math.round(clock.offsetMs() / minuteMs)]).toEqual([true, 20]);
});

test("A difference within the duration of the answer changes nothing", async () => {
  const toRows = (ms: number) => ({ rows: [{ ms }], command: "SELECT", count: 1 });
  let answer = () => Promise.resolve(toRows(1_000_000));
  const query = (async () => answer()) as unknown as ConnectionPool["query"];
  const clock = await openDatabaseClock({ pool: { query }, readOwnMs: () => 1_000_000 });
  expect(clock.now()).toBe(1_000_000);
  // The answer takes long, and it is unknown when in this time the clock was read.
  answer = async () => {
    await Bun.sleep(40);
    return toRows(1_000_000 - 10);
  };
  await clock.measure();
  expect([clock.now(), clock.roundTripMs() >= 39]).toEqual([1_000_000, true]);
});

test("A signal wakes every receiver, which is also woken at its start and after a lost connection", async () => {
  const connect = () => new SQL({ url: server.url, max: 1 });
  const signals = createPostgresSignals({ pool, connect });
  const woken = { one: 0, two: 0 };
  const ends = [
    await signals.receive("cancel", () => {
      woken.one += 1;
    }),
    await signals.receive("cancel", () => {
      woken.two += 1;
    }),
  ];
  await waitFor(() => woken.one === 1 && woken.two === 1);
  await pool.query("select pg_notify('hub_signals', 'another')");
  await signals.send("cancel");
  await waitFor(() => woken.one === 2 && woken.two === 2);

  const opened = pool.usage().opened;
  await server.crash();
  await signals.send("cancel");
  await server.start();
  await waitFor(() => woken.one === 3 && woken.two === 3);
  await waitFor(async () => {
    await signals.send("cancel");
    return woken.one > 3 && woken.two > 3;
  });
  expect(pool.usage().opened).toBeGreaterThan(opened);
  for (const end of ends) await end();
  const listening = "select 1 from pg_stat_activity where query ilike 'listen%'";
  await waitFor(async () => (await pool.query(listening)).rows.length === 0);
});

test("A receiver that starts without the database gets signals when it is back", async () => {
  const connect = () => new SQL({ url: server.url, max: 1 });
  const signals = createPostgresSignals({ pool, connect });
  let woken = 0;
  await server.crash();
  const end = await signals.receive("cancel", () => {
    woken += 1;
  });
  await expect(pool.query("select 1")).rejects.toMatchObject({ code: "unavailable" });
  await server.start();
  await waitFor(() => woken === 1);
  await signals.send("cancel");
  await waitFor(() => woken === 2);
  await end();
});

test("The pool tells how many of its connections are open and busy, and who waits", async () => {
  const few = createConnectionPool({
    connect: (events) => new SQL({ url: server.url, max: 1, ...events }),
  });
  expect(few.usage()).toEqual({ open: 0, busy: 0, waiting: 0, opened: 0 });
  const held = await few.reserve();
  const waiting = few.reserve();
  expect(few.usage()).toEqual({ open: 1, busy: 1, waiting: 1, opened: 1 });
  held.release();
  (await waiting).release();
  expect(few.usage()).toEqual({ open: 1, busy: 0, waiting: 0, opened: 1 });
  await few.close();
  await waitFor(() => few.usage().open === 0);
});
