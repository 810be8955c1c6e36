/** Protects: a row's tokens are refreshed once, sent to the row's address only, and never lost. */
import { afterEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemTimers } from "../../../lib/time/timers.ts";
import { createKeyRing } from "../../../secrets/keys/key-ring.ts";
import { createRingHolder } from "../../../secrets/keys/ring-holder.ts";
import { transaction } from "../../../store/database/database.ts";
import {
  claimRefresh,
  deleteRowConnection,
  findRowConnection,
  putRowConnection,
} from "../../../store/rows/row-connections.ts";
import { insertRow } from "../../../store/rows/rows-table.ts";
import { newRow } from "../../../store/test-data.ts";
import { openTestStore } from "../../../store/testing/open-test-store.ts";
import { createRowAuthorizer } from "./authorize-row.ts";
import { beginConnect } from "./begin-sign-in.ts";
import { openConnection, sealConnection } from "./connection-secrets.ts";
import { finishConnect } from "./finish-sign-in.ts";
import { serveAuthorization } from "./testing/serve-authorization.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const signal = new AbortController().signal;
const page = "http://hub.test/manager/connectors/http";
const silent = () => {};

type Script = Parameters<typeof serveAuthorization>[0];

/** A connected row, and what servers of one database use of it. */
async function open(script: Script = () => undefined) {
  const server = serveAuthorization(script);
  closers.push(server.close);
  const dataDir = await mkdtemp(join(tmpdir(), "hub-oauth-"));
  closers.push(() => rm(dataDir, { recursive: true }));
  const store = await openTestStore({ dataDir });
  closers.push(() => store.close());
  const { db } = store;
  const ring = await createRingHolder(async () => createKeyRing([new Uint8Array(32).fill(7)]));
  const { address, policy } = server;
  let time = 1_000_000;
  const now = () => time;

  const target = {
    address,
    transport: "http",
    client: null,
    scope: null,
    policy,
    given: null,
    rowId: "row-1",
  } as const;
  const begun = await beginConnect({}, target, "http://127.0.0.1");
  const answer = new URLSearchParams({ code: "c", state: begun.state, iss: server.origin });
  const { tokens, secrets } = await finishConnect({ policy }, begun.attempt, answer, now);
  const { id: rowId } = await insertRow(db, newRow());
  const { scope, expiresAt, renewAt } = tokens;
  await transaction(db, (trx) =>
    putRowConnection(trx, {
      rowId,
      id: "connection",
      tokensId: "first",
      connectedAt: time,
      issuer: server.origin,
      address: address.href,
      scope: scope ?? "",
      expiresAt,
      renewAt,
      canRenew: true,
      sealed: sealConnection(ring.current(), rowId, secrets),
    }),
  );
  const logged: unknown[] = [];
  const write = (...line: unknown[]) => void logged.push(line);
  /** A server of the database, with a connection of its own. */
  async function addServer() {
    const own = await openTestStore({ dataDir });
    closers.push(() => own.close());
    const authorizer = createRowAuthorizer({
      db: own.db,
      ring,
      now,
      timers: systemTimers,
      timeoutMs: 60_000,
      log: { debug: silent, info: silent, warn: write, error: write },
      findBaseUrl: async () => "http://hub.test",
    });
    closers.push(() => authorizer.close());
    return authorizer;
  }
  return {
    server,
    db,
    ring,
    rowId,
    logged,
    addServer,
    row: { rowId, connectionId: "connection", account: null, client: null, address, policy },
    advance: (ms: number) => {
      time += ms;
    },
    readStored: async () => {
      const found = await findRowConnection(db, rowId);
      if (found === null) throw new Error("not connected");
      return { ...found, secrets: await openConnection(ring, rowId, found.sealed) };
    },
  };
}

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    (value) => `it resolved: ${JSON.stringify(value)}`,
    (thrown: Error) => thrown.message,
  );

const hourMs = 3_600_000;

test("A token is used until it ends soon, and many calls on two servers refresh it once", async () => {
  const { row, server, addServer, advance, readStored } = await open();
  const servers = [await addServer(), await addServer()];
  const find = () =>
    Promise.all(Array.from({ length: 10 }, (_, at) => servers[at % 2]?.findToken(row, signal)));
  expect(new Set(await find())).toEqual(new Set(["access-1"]));
  advance(hourMs - 50_000);
  expect(new Set(await find())).toEqual(new Set(["access-2"]));
  expect(server.tokenRequests.map((one) => one.refresh_token ?? "code")).toEqual([
    "code",
    "refresh-1",
  ]);
  expect((await readStored()).secrets).toMatchObject({ refresh_token: "refresh-2" });
});

test("A refused token is renewed once, and other calls take the renewed one", async () => {
  const { row, server, addServer } = await open();
  const servers = [await addServer(), await addServer()];
  const renewed = await Promise.all(
    Array.from({ length: 10 }, (_, at) => servers[at % 2]?.renewToken(row, "access-1", signal)),
  );
  expect(new Set(renewed)).toEqual(new Set(["access-2"]));
  expect(server.tokenRequests).toHaveLength(2);
});

test("A server that refuses a fresh token does not make the hub ask for another one", async () => {
  const { row, server, addServer, readStored } = await open();
  const authorizer = await addServer();
  expect(await authorizer.renewToken(row, "access-1", signal)).toBe("access-2");
  for (const _ of [1, 2, 3]) {
    const refused = authorizer.renewToken(row, "access-2", signal);
    expect(await failureOf(refused)).toContain("refuses fresh access tokens");
  }
  expect(server.tokenRequests).toHaveLength(2);
  expect((await readStored()).lost).toBeNull();
});

test("A refusal marks the row, says where to connect it, and is not repeated", async () => {
  const refusal = { error: "invalid_grant", error_description: "refresh-1" };
  const opened = await open((_, { pathname }, requests) =>
    pathname === "/token" && requests.length > 1
      ? Response.json(refusal, { status: 400 })
      : undefined,
  );
  const { row, server, addServer, advance, readStored, logged } = opened;
  const authorizer = await addServer();
  advance(hourMs);
  for (const _ of [1, 2]) {
    const failure = await failureOf(authorizer.findToken(row, signal));
    expect(failure).toContain("invalid_grant");
    expect(failure).toContain(`${page}/${row.rowId}`);
  }
  expect(server.tokenRequests).toHaveLength(2);
  expect((await readStored()).lost?.reason).toContain("invalid_grant");
  expect(JSON.stringify(logged)).not.toMatch(/refresh-1|access-1/);
});

test("A server that fails is asked again later, and a token that has not ended is used meanwhile", async () => {
  let isAway = true;
  const { row, addServer, advance, readStored } = await open((_, { pathname }, requests) =>
    pathname === "/token" && requests.length > 1 && isAway
      ? new Response(null, { status: 503 })
      : undefined,
  );
  advance(hourMs - 30_000);
  expect(await (await addServer()).findToken(row, signal)).toBe("access-1");
  advance(30_000);
  expect(await failureOf((await addServer()).findToken(row, signal))).toContain("not be renewed");
  expect((await readStored()).lost).toBeNull();
  isAway = false;
  expect(await (await addServer()).findToken(row, signal)).toBe("access-2");
});

test("A server that died during its refresh has lost the token, and the row says so", async () => {
  const used = new Set<string>();
  const opened = await open((_, { pathname }, requests) => {
    const token = requests.at(-1)?.refresh_token;
    if (pathname !== "/token" || token === undefined) return undefined;
    // Each refresh token works once, as rotation wants it.
    if (used.has(token)) return Response.json({ error: "invalid_grant" }, { status: 400 });
    used.add(token);
    return undefined;
  });
  const { row, db, addServer, advance, readStored } = opened;
  advance(hourMs);
  const at = 1_000_000 + hourMs;
  const claim = { rowId: row.rowId, tokensId: "first", refreshId: "of the dead server" };
  expect(await claimRefresh(db, claim, { now: at, until: at + 30_000 })).toBe(true);
  used.add("refresh-1");
  advance(31_000);
  expect(await failureOf((await addServer()).findToken(row, signal))).toContain("connect it at");
  expect((await readStored()).lost).not.toBeNull();
});

test("A refresh that another server took over still stores its tokens", async () => {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const { row, addServer, advance, readStored } = await open(async (_, { pathname }, requests) => {
    if (pathname !== "/token" || requests.length < 2) return undefined;
    if (requests.length > 2) return Response.json({ error: "invalid_grant" }, { status: 400 });
    asked.resolve();
    await answered.promise;
    return undefined;
  });
  const [first, second] = [await addServer(), await addServer()];
  advance(hourMs);
  const slow = first.findToken(row, signal);
  await asked.promise;
  advance(31_000);
  expect(await failureOf(second.findToken(row, signal))).toContain("invalid_grant");
  answered.resolve();
  expect(await slow).toBe("access-2");
  expect(await readStored()).toMatchObject({
    lost: null,
    secrets: { refresh_token: "refresh-2" },
  });
  expect(await second.findToken(row, signal)).toBe("access-2");
});

test("A token without an end is used until it is refused; without a refresh token it is then lost", async () => {
  const { row, addServer, advance, readStored } = await open((_, { pathname }) =>
    pathname === "/token"
      ? Response.json({ access_token: "only", token_type: "bearer" })
      : undefined,
  );
  const authorizer = await addServer();
  advance(1000 * hourMs);
  expect(await authorizer.findToken(row, signal)).toBe("only");
  expect(await failureOf(authorizer.renewToken(row, "only", signal))).toContain(
    "no longer accepts",
  );
  expect((await readStored()).lost).not.toBeNull();
});

test("A token is not for another address, another connection, or a disconnected row", async () => {
  const { row, db, addServer, server } = await open();
  const authorizer = await addServer();
  const find = (given: object) => failureOf(authorizer.findToken({ ...row, ...given }, signal));
  const elsewhere = await find({ address: new URL(`${server.origin}/other`) });
  expect(elsewhere).toContain("address has changed");
  expect(elsewhere).toContain(`${page}/${row.rowId}`);
  expect(await find({ connectionId: "earlier" })).toContain("connected anew");
  await transaction(db, (trx) => deleteRowConnection(trx, row.rowId, 1));
  expect(await find({})).toContain("not connected");
});

test("A refusal that proves nothing leaves tokens that cannot be renewed", async () => {
  const opened = await open((_, { pathname }) =>
    pathname === "/token"
      ? Response.json({ access_token: "only", token_type: "Bearer" })
      : undefined,
  );
  const authorizer = await opened.addServer();
  const { row } = opened;
  const renewed = authorizer.renewToken(row, "only", signal, { isProof: false });
  expect(await failureOf(renewed)).toContain("no longer accepts");
  expect(await authorizer.findToken(row, signal)).toBe("only");
});
