import { refuseProxy } from "../postgres-errors.ts";
import type { ConnectionPool, PooledConnection } from "./connection-pool.ts";

type Session = { pid: number; mark: string | null };

/**
 * Refuses a proxy that gives each transaction another connection, such as PgBouncer in transaction
 * mode: locks of a session, which show the live processes, would belong to others. Two connections
 * mark their sessions and alternate between them, so that such a proxy mixes them up.
 */
export async function checkSessions(pool: Pick<ConnectionPool, "reserve">): Promise<void> {
  const one = await pool.reserve();
  try {
    const two = await pool.reserve();
    try {
      if (await isMixed(one, two)) throw refuseProxy();
    } finally {
      two.release();
    }
  } finally {
    one.release();
  }
}

async function isMixed(one: PooledConnection, two: PooledConnection): Promise<boolean> {
  const [first, second] = [await mark(one, "one"), await mark(two, "two")];
  // The proxy cannot give the session of an open transaction to the other connection.
  await two.query("begin");
  const seen = [await read(one), await read(two), await read(one)];
  await two.query("commit");
  const later = [await read(two), await read(one)];
  const [ofOne, ofTwo] = [
    [seen[0], seen[2], later[1]],
    [seen[1], later[0]],
  ];
  return (
    first === second ||
    ofOne.some((session) => session?.pid !== first || session?.mark !== "one") ||
    ofTwo.some((session) => session?.pid !== second || session?.mark !== "two")
  );
}

async function mark(connection: PooledConnection, name: string): Promise<number | undefined> {
  const text = "select pg_backend_pid() as pid, set_config('hub.session', $1, false)";
  return (await connection.query<Session>(text, [name])).rows[0]?.pid;
}

async function read(connection: PooledConnection): Promise<Session | undefined> {
  const text = "select pg_backend_pid() as pid, current_setting('hub.session', true) as mark";
  return (await connection.query<Session>(text)).rows[0];
}
