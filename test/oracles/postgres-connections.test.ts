/** The connections of one process to PostgreSQL, when the database gives no answer. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import net from "node:net";
import { SQL } from "bun";
import { createAnswerTimeout } from "../../packages/server/src/store/postgres/connections/answer-timeout.ts";
import {
  type ConnectionPool,
  createConnectionPool,
} from "../../packages/server/src/store/postgres/connections/connection-pool.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { waitFor } from "../support/wait-for.ts";

let server: PostgresServer;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

/** Long enough for an answer, short for a test that waits for none. */
const answerMsMax = 1_000;

function openPool(max: number, url = server.url): ConnectionPool & AsyncDisposable {
  const connect = () => new SQL({ url, max });
  const pool = createConnectionPool({
    connect,
    answerTimeout: createAnswerTimeout({ answerMsMax }),
    closeMsMax: 100,
  });
  return { ...pool, [Symbol.asyncDispose]: pool.close };
}

type Blocked = AsyncDisposable & {
  statement: string;
  /** Whether the database has received it. */
  isReceived(): Promise<boolean>;
};

/** A statement that gets no answer until the returned connection is closed. */
async function blockStatement(): Promise<Blocked> {
  const key = Math.floor(Math.random() * 2 ** 31);
  const statement = `select pg_advisory_lock(${key})`;
  const holder = new SQL({ url: server.url, max: 1 });
  await holder.unsafe(statement);
  return {
    statement,
    async isReceived() {
      const waiting = `select 1 from pg_locks where objid = ${key} and not granted`;
      return (await holder.unsafe(waiting)).length > 0;
    },
    [Symbol.asyncDispose]: () => holder.close(),
  };
}

const isUnavailable = expect.objectContaining({ code: "unavailable" });

test("A connection that arrives after its caller gave up goes back to the pool", async () => {
  await using pool = openPool(1);
  const held = await pool.reserve();
  expect(await pool.reserve().catch((err) => err)).toEqual(isUnavailable);
  held.release();
  const next = await pool.reserve();
  next.release();
});

test("A released connection that does not answer is replaced by a new one", async () => {
  await using blocked = await blockStatement();
  await using pool = openPool(1);
  const reserved = await pool.reserve();
  const before = await reserved.query("select pg_backend_pid() as pid");
  await reserved.query("begin");
  expect(await reserved.query(blocked.statement).catch((err) => err)).toEqual(isUnavailable);
  expect(await reserved.query("rollback").catch((err) => err)).toEqual(isUnavailable);
  reserved.release();
  const after = await pool.query("select pg_backend_pid() as pid");
  expect(after.rows).not.toEqual(before.rows);
});

test("After a statement without an answer, later ones use new connections", async () => {
  await using proxy = await startProxy(server.url);
  await using pool = openPool(2, proxy.url);
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
  proxy.freeze();
  expect(await pool.query("select 1").catch((err) => err)).toEqual(isUnavailable);
  expect((await pool.query("select 2 as two")).rows).toEqual([{ two: 2 }]);
});

test("A pool closes although a statement has no answer", async () => {
  await using blocked = await blockStatement();
  const pool = openPool(1);
  const failed = pool.query(blocked.statement).catch((err) => err);
  await waitFor(blocked.isReceived);
  await pool.close();
  expect(await failed).toEqual(isUnavailable);
  await pool.close();
});

/** Passes connections on. A frozen one stays open and silent, as behind a broken network. */
async function startProxy(
  target: string,
): Promise<AsyncDisposable & { url: string; freeze(): void }> {
  const { hostname, port } = new URL(target);
  const sockets: net.Socket[] = [];
  const proxy = net.createServer((client) => {
    const upstream = net.connect(Number(port), hostname);
    for (const socket of [client, upstream]) socket.on("error", () => {});
    client.pipe(upstream);
    upstream.pipe(client);
    sockets.push(client, upstream);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const url = new URL(target);
  const address = proxy.address();
  url.host = `127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  return {
    url: url.href,
    freeze() {
      for (const socket of sockets) {
        socket.unpipe();
        socket.pause();
      }
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}
