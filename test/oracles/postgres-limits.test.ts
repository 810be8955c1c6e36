/** Limits of calls that hold over all servers of a PostgreSQL database. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { describeCallCounts } from "../../packages/server/src/store/limits/call-counts.testsuite.ts";
import type { CallLimit, CountedCall } from "../../packages/server/src/store/limits/call-counts.ts";
import {
  type ConnectionPool,
  createConnectionPool,
} from "../../packages/server/src/store/postgres/connections/connection-pool.ts";
import {
  createPostgresCallCounts,
  type PostgresCallCounts,
} from "../../packages/server/src/store/postgres/counts/call-counts-postgres.ts";
import { openPostgresStore } from "../../packages/server/src/store/postgres/open-postgres.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";

let server: PostgresServer;
let pool: ConnectionPool;

beforeAll(async () => {
  server = await startPostgres();
  const url = await server.createDatabase();
  await (await openPostgresStore({ url })).close();
  pool = createConnectionPool({ connect: () => new SQL({ url, max: 8, bigint: true }) });
});
afterAll(async () => {
  await pool.close();
  await server[Symbol.asyncDispose]();
});

const clock = { ms: 100_000 };

async function advance(ms: number): Promise<void> {
  clock.ms += ms;
  await pool.query("update call_counts set taken_at = taken_at - $1::bigint", [Math.ceil(ms)]);
}

function openCounts(): PostgresCallCounts {
  return createPostgresCallCounts({
    pool,
    holder: crypto.randomUUID(),
    nowMs: () => clock.ms,
  });
}

async function empty(): Promise<void> {
  await pool.query("delete from call_counts");
}

describeCallCounts("on PostgreSQL", async () => {
  const counts = openCounts();
  await empty();
  return { counts, advance, remove: () => counts.close() };
});

describe("Three servers", () => {
  let servers: PostgresCallCounts[];

  beforeEach(async () => {
    await empty();
    servers = [openCounts(), openCounts(), openCounts()];
  });

  const pick = (index: number) => servers[index % servers.length] ?? openCounts();
  const closeAll = () => Promise.all(servers.map((one) => one.close()));

  async function beginMany(calls: number, limit: CallLimit, key = "user:ada") {
    const begun = Array.from({ length: calls }, (_, index) => pick(index).begin(key, limit));
    const refusals = await Promise.all(begun.map(({ refusal }) => refusal));
    return begun.filter((_, index) => refusals[index] === null);
  }

  test("admit exactly the calls per minute of a burst", async () => {
    for (const perMinute of [3, 60, 600]) {
      const limit = { perMinute, atOnce: 0 };
      const admitted = await beginMany(perMinute * 4, limit, `user:${perMinute}`);
      expect([perMinute, admitted.length]).toEqual([perMinute, perMinute]);
    }
    await closeAll();
  });

  test("admit exactly the concurrent calls of a burst, and others when these end", async () => {
    const limit = { perMinute: 0, atOnce: 10 };
    const admitted = await beginMany(100, limit);
    expect(admitted).toHaveLength(10);
    for (const { end } of admitted.slice(0, 4)) end();
    for (const one of servers) await one.refresh();
    expect(await beginMany(50, limit)).toHaveLength(4);
    await closeAll();
  });

  test("admit nearly all concurrent calls when idle servers keep a spare one", async () => {
    const limit = { perMinute: 0, atOnce: 32 };
    for (const { end } of await beginMany(30, limit)) end();
    for (const one of servers) await one.refresh();
    const [first] = servers;
    const begun = Array.from({ length: 40 }, () => first?.begin("user:ada", limit));
    const refusals = await Promise.all(begun.map((call) => call?.refusal));
    const admitted = refusals.filter((refusal) => refusal === null).length;
    expect(admitted).toBeGreaterThanOrEqual(30);
    expect(admitted).toBeLessThanOrEqual(32);
    await closeAll();
  });

  test("ask the database for few of a user's calls", async () => {
    const limit = { perMinute: 600, atOnce: 32 };
    const statements: string[] = [];
    const counting = createPostgresCallCounts({
      pool: {
        query(text, values) {
          statements.push(text);
          return pool.query(text, values);
        },
      },
      holder: "counting",
      nowMs: () => clock.ms,
    });
    for (let call = 0; call < 70; call += 1) {
      const { refusal, end } = counting.begin("user:ada", limit);
      expect(await refusal).toBeNull();
      end();
    }
    expect(statements).toHaveLength(10);
    await counting.close();
    await closeAll();
  });

  test("do not count the running calls of a server that has not reported for 30 seconds", async () => {
    const limit = { perMinute: 0, atOnce: 2 };
    const dead = createPostgresCallCounts({ pool, holder: "dead", nowMs: () => clock.ms });
    const held: CountedCall[] = [dead.begin("user:ada", limit), dead.begin("user:ada", limit)];
    expect(await Promise.all(held.map(({ refusal }) => refusal))).toEqual([null, null]);
    expect(await beginMany(3, limit)).toHaveLength(0);
    // A report from long ago.
    await pool.query(
      `update call_counts set holders = jsonb_set(holders, '{dead,1}', '1'::jsonb) where key = $1`,
      ["user:ada"],
    );
    expect(await beginMany(3, limit)).toHaveLength(2);
    await dead.close();
    await closeAll();
  });

  test("count a server's running calls again after a crash of the database forgot them", async () => {
    const limit = { perMinute: 0, atOnce: 2 };
    expect(await beginMany(2, limit)).toHaveLength(2);
    await empty();
    for (const one of servers) await one.refresh();
    expect(await beginMany(3, limit)).toHaveLength(0);
    await closeAll();
  });

  test("give back everything when they close", async () => {
    await beginMany(9, { perMinute: 100, atOnce: 32 });
    await closeAll();
    const { rows } = await pool.query<{ holders: string }>("select holders::text from call_counts");
    expect(rows).toEqual([{ holders: "{}" }]);
  });
});
