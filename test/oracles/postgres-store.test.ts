/** The contract of the store, on PostgreSQL. The same suite runs over SQLite in `store.test.ts`. */
import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { listChanges } from "../../packages/server/src/store/changes-table.ts";
import { listChatAccounts } from "../../packages/server/src/store/channels/chat-accounts-table.ts";
import { type Db, transaction } from "../../packages/server/src/store/database/database.ts";
import { migrations } from "../../packages/server/src/store/migrate.ts";
import { insertOAuthAccessToken } from "../../packages/server/src/store/oauth/oauth-access-tokens.ts";
import { putOAuthArtifact } from "../../packages/server/src/store/oauth/oauth-artifacts.ts";
import { createConnectionPool } from "../../packages/server/src/store/postgres/connections/connection-pool.ts";
import {
  migratePostgres,
  postgresMigrations,
} from "../../packages/server/src/store/postgres/migrate-postgres.ts";
import { openPostgresStore } from "../../packages/server/src/store/postgres/open-postgres.ts";
import { toStoreError } from "../../packages/server/src/store/postgres/postgres-errors.ts";
import { listRowOperations } from "../../packages/server/src/store/rows/row-operations-table.ts";
import { readRows } from "../../packages/server/src/store/rows/row-parts.ts";
import {
  findSetting,
  putSetting,
  setStoredSetting,
} from "../../packages/server/src/store/settings/settings-table.ts";
import { describeStore } from "../../packages/server/src/store/store.testsuite.ts";
import type { Store } from "../../packages/server/src/store/store.ts";
import { newUser } from "../../packages/server/src/store/test-data.ts";
import { runSql } from "../../packages/server/src/store/testing/run-sql.ts";
import { listSessions } from "../../packages/server/src/store/users/sessions-table.ts";
import { listTokens } from "../../packages/server/src/store/users/tokens-table.ts";
import { insertUser } from "../../packages/server/src/store/users/users-table.ts";
import { listPublished } from "../../packages/server/src/store/workflows/workflows-table.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { type EmptiedDatabase, keepDatabase } from "./support/emptied-database.ts";
import { findTemplate } from "./support/migrated-database.ts";
import { describePostgresTables, describeSqliteTables } from "./support/tables.ts";

let server: PostgresServer;
let migratedUrl: string;
let shared: { url: string; database: EmptiedDatabase; store: Store } | null = null;

beforeAll(async () => {
  server = await startPostgres();
  migratedUrl = await findTemplate(server);
});
afterAll(async () => {
  await shared?.store.close();
  await shared?.database[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** The database of the contract, whose tests run one after the other, and its store. */
async function openShared() {
  const url = await server.createDatabase(migratedUrl);
  return { url, database: await keepDatabase(url), store: await openStore(url) };
}

// Each connection is a process of the server, and costs as much as most of these tests.
const openStore = (url: string) => openPostgresStore({ url, connectionsMax: 3 });

describeStore("PostgreSQL", async () => {
  shared ??= await openShared();
  const { url, database, store } = shared;
  const resources = new AsyncDisposableStack();
  resources.defer(database.empty);
  const openAnother = async () => {
    const another = await openStore(url);
    resources.defer(() => another.close());
    return another;
  };
  return {
    store,
    openAnother,
    makeConflict: () => makeConflict(url),
    remove: () => resources.disposeAsync(),
  };
});

/** Two transactions that read what the other one writes. */
async function makeConflict(url: string): Promise<unknown> {
  await using pool = new SQL({ url, max: 2 });
  const [one, two] = [await pool.reserve(), await pool.reserve()];
  try {
    for (const each of [one, two]) {
      await each.unsafe("begin isolation level serializable");
      await each.unsafe("select value from revision");
    }
    await one.unsafe("update revision set value = value + 1");
    await one.unsafe("commit");
    await two.unsafe("update revision set value = value + 1");
  } catch (failure) {
    return failure;
  } finally {
    await two.unsafe("rollback");
    one.release();
    two.release();
  }
  throw new Error("The two transactions did not conflict.");
}

test("Of two transactions that read what the other one writes, one runs again", async () => {
  const url = await server.createDatabase(migratedUrl);
  const stores = [await openPostgresStore({ url }), await openPostgresStore({ url })];
  const attempts = [0, 0];
  const bothHaveRead = Promise.withResolvers<void>();
  // Each reads what the other one writes: in no order could both have read nothing.
  const seen = await Promise.all(
    stores.map(({ db }, index) =>
      transaction(db, async (trx) => {
        const found = await findSetting(trx, `key-${1 - index}`);
        attempts[index] = (attempts[index] ?? 0) + 1;
        if (attempts.every((count) => count > 0)) bothHaveRead.resolve();
        await bothHaveRead.promise;
        await putSetting(trx, `key-${index}`, "set");
        return found;
      }),
    ),
  );
  expect(seen.toSorted()).toEqual([null, "set"]);
  expect(attempts.toSorted()).toEqual([1, 2]);
  for (const store of stores) await store.close();
});

test("Many transactions of several processes that read what the others write all succeed", async () => {
  const url = await server.createDatabase(migratedUrl);
  const stores = await Promise.all([1, 2, 3, 4].map(() => openPostgresStore({ url })));
  const attempts = new Map<string, number>();
  const counting = stores.flatMap(({ db }, index) =>
    Array.from({ length: 15 }, (_, round) =>
      transaction(db, async (trx) => {
        const name = `${index}-${round}`;
        attempts.set(name, (attempts.get(name) ?? 0) + 1);
        const before = Number((await findSetting(trx, "count")) ?? "0");
        await putSetting(trx, "count", String(before + 1));
      }),
    ),
  );
  await Promise.all(counting);
  expect(await findSetting(stores[0]?.db ?? never(), "count")).toBe("60");
  // The second attempt is alone, so there is never a third one.
  expect(Math.max(...attempts.values())).toBe(2);
  for (const store of stores) await store.close();
});

function never(): never {
  throw new Error("There is no store.");
}

test("A transaction that conflicts five times answers with the code conflict", async () => {
  const url = await server.createDatabase(migratedUrl);
  const store = await openPostgresStore({ url });
  await using other = new SQL({ url, max: 1 });
  const failed = transaction(store.db, async (trx) => {
    await findSetting(trx, "key");
    await other.unsafe("update revision set value = value + 1");
    await setStoredSetting(trx, "HUB_X", "1");
  });
  expect(await failed.catch((err) => err)).toMatchObject({ code: "conflict" });
  await store.close();
});

test("A backup that reads all tables stops no transaction, also not one that conflicts", async () => {
  const url = await server.createDatabase(migratedUrl);
  const store = await openPostgresStore({ url });
  await using backup = new SQL({ url, max: 1 });
  const [{ tables }] = await backup.unsafe(
    "select string_agg(quote_ident(tablename), ', ') as tables from pg_tables where schemaname = 'public'",
  );
  // What pg_dump does first, and keeps until it ends.
  await backup.unsafe("begin isolation level repeatable read read only");
  await backup.unsafe(`lock table ${tables} in access share mode`);
  await using other = new SQL({ url, max: 1 });
  let attempts = 0;
  await transaction(store.db, async (trx) => {
    await findSetting(trx, "key");
    attempts += 1;
    if (attempts === 1) await other.unsafe("update revision set value = value + 1");
    await setStoredSetting(trx, "HUB_X", "1");
  });
  expect(attempts).toBe(2);
  await backup.unsafe("rollback");
  await store.close();
});

test("A statement that waits too long for a lock fails, and its session does not wait on", async () => {
  const url = await server.createDatabase(migratedUrl);
  const store = await openPostgresStore({ url, lockMsMax: 100 });
  await using other = new SQL({ url, max: 1 });
  await other.unsafe("begin");
  await other.unsafe("lock table revision in access exclusive mode");
  for (const work of [() => store.reads.readRevision(), () => setSetting(store.db)]) {
    expect(await work().catch((err) => err)).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("Another session"),
    });
  }
  const waiting = await other.unsafe(
    "select 1 from pg_locks where not granted and relation = 'revision'::regclass",
  );
  expect(waiting).toHaveLength(0);
  await other.unsafe("rollback");
  await setSetting(store.db);
  await store.close();
});

test("PostgreSQL notices within half a minute that the machine of a session is gone", async () => {
  const url = await server.createDatabase(migratedUrl);
  const store = await openPostgresStore({ url });
  const read = async (name: string) => {
    const [found] = await runSql(
      store.db,
      `select current_setting('tcp_keepalives_${name}') as value`,
    );
    return Number(Object(found).value);
  };
  const [idle, interval, count] = [await read("idle"), await read("interval"), await read("count")];
  // 0 would be the system's time, of two hours.
  expect(Math.min(idle, interval, count)).toBeGreaterThan(0);
  expect(idle + interval * count).toBeLessThan(30);
  await store.close();
});

test("A token or code whose grant ends at the same moment is not stored, and nothing fails", async () => {
  const url = await server.createDatabase(migratedUrl);
  const store = await openPostgresStore({ url });
  await using other = new SQL({ url, max: 1 });
  const user = await insertUser(store.db, newUser());
  const times = { createdAt: 1, expiresAt: Date.now() + 60_000 };
  const put = [
    () =>
      insertOAuthAccessToken(store.db, {
        tokenHash: new Uint8Array(32),
        grantId: "g",
        userId: user.id,
        clientId: "c",
        scope: "mcp",
        resource: "r",
        ...times,
      }),
    () =>
      putOAuthArtifact(store.db, {
        idHash: new Uint8Array(32),
        model: "RefreshToken",
        grantId: "g",
        sealed: new Uint8Array(1),
        expiresAt: times.expiresAt,
      }),
  ];
  for (const insert of put) {
    await other.unsafe(
      "insert into oauth_grants values ('g', $1, 'c', 'C', 'u', 'mcp', 'r', 1, 1, 2)",
      [user.id],
    );
    await other.unsafe("begin");
    await other.unsafe("delete from oauth_grants");
    const stored = insert();
    await waitFor(async () => (await other.unsafe(waitingForLock)).length > 0);
    await other.unsafe("commit");
    expect(await stored).toBeFalse();
  }
  await store.close();
});

const waitingForLock = "select 1 from pg_stat_activity where wait_event_type = 'Lock'";

const setSetting = (db: Db) => transaction(db, (trx) => setStoredSetting(trx, "HUB_X", "1"));

const openPool = (url: string) =>
  createConnectionPool({ connect: () => new SQL({ url, max: 1, bigint: true }) });

test("Processes that start together migrate once, and a failed migration leaves nothing", async () => {
  const url = await server.createDatabase();
  const pools = [openPool(url), openPool(url), openPool(url)];
  const broken = [
    ...postgresMigrations,
    { name: "999-broken", sql: "create table x (); nonsense" },
  ];
  const failed = migratePostgres(openPool(url), broken);
  await expect(failed).rejects.toThrow("syntax error");
  const applied = await Promise.all(pools.map((pool) => migratePostgres(pool)));
  expect(applied.map(({ length }) => length).toSorted()).toEqual([0, 0, postgresMigrations.length]);
  for (const pool of pools) await pool.close();
});

test("A database of the next version is used, and one of a later version is refused and not changed", async () => {
  const url = await server.createDatabase(migratedUrl);
  await using other = new SQL({ url, max: 1 });
  await other.unsafe(
    "insert into migrations (name, checksum, applied_at, level) select '999-later', 'x', 0, max(level) + 1 from migrations",
  );
  await (await openPostgresStore({ url })).close();
  await other.unsafe("update migrations set level = level + 1 where name = '999-later'");
  const err = await openPostgresStore({ url }).catch((failure) => failure);
  expect(err).toMatchObject({ code: "bad_configuration" });
  expect(err.message).toContain("999-later");
  expect(err.message).toContain("HUB_DATABASE_URL");
  // No transaction is left that would block this.
  await other.unsafe("delete from migrations where name = '999-later'");
  await (await openPostgresStore({ url })).close();
});

test("A database without levels gets them with its next migration", async () => {
  const url = await server.createDatabase(migratedUrl);
  await using other = new SQL({ url, max: 1 });
  await other.unsafe("alter table migrations drop column level, drop column hub_version");
  await (await openPostgresStore({ url })).close();
  const next = { name: "999-next", sql: "-- level: 2\ncreate table x (y text)" };
  const pool = openPool(url);
  expect(await migratePostgres(pool, [...postgresMigrations, next])).toEqual(["999-next"]);
  await pool.close();
  const levels = await other.unsafe(
    "select level::int, count(*)::int as n from migrations group by 1 order by 1",
  );
  expect([...levels]).toEqual([
    { level: 1, n: postgresMigrations.length },
    { level: 2, n: 1 },
  ]);
});

test("A migration that a running server deadlocks is applied by its next attempt", async () => {
  const url = await server.createDatabase(migratedUrl);
  await using other = new SQL({ url, max: 1 });
  // A sequence keeps its value when the attempt is rolled back.
  await other.unsafe("create sequence attempts");
  const sql = `create table x (y text); do $$ begin
    if nextval('attempts') = 1 then raise sqlstate '40P01'; end if;
  end $$`;
  const pool = openPool(url);
  const known = [...postgresMigrations, { name: "999-next", sql }];
  expect(await migratePostgres(pool, known)).toEqual(["999-next"]);
  await pool.close();
  const [{ tries }] = await other.unsafe("select last_value::int as tries from attempts");
  expect(tries).toBe(2);
});

describe("A migration that cannot begin gives up after its wait, and says who holds it back", () => {
  const next = { name: "999-next", sql: "alter table tags add column note text" };

  async function migrateBeside(url: string) {
    const logged: string[] = [];
    const log = {
      info: () => {},
      warn: (fields: object, message: string) => logged.push(JSON.stringify({ fields, message })),
    };
    const pool = openPool(url);
    const known = [...postgresMigrations, next];
    const failure = await migratePostgres(pool, known, { waitMsMax: 10, log }).catch((err) => err);
    await pool.close();
    return { failure, logged };
  }

  test("another process that migrates", async () => {
    const url = await server.createDatabase(migratedUrl);
    await using holder = new SQL({ url, max: 1 });
    const stuck = await holder.reserve();
    await stuck.unsafe("begin");
    await stuck.unsafe("set application_name = 'hub migration by process 7 on web-1'");
    await stuck.unsafe("select pg_advisory_xact_lock(7013246981247735158)");
    const [{ pid }] = await stuck.unsafe("select pg_backend_pid() as pid");
    const { failure, logged } = await migrateBeside(url);
    expect(failure).toMatchObject({ code: "conflict" });
    const holds = `session ${pid} of PostgreSQL from 127.0.0.1, hub migration by process 7 on web-1. If it is stuck, end it with: select pg_terminate_backend(${pid})`;
    expect(failure.localMessage).toContain(holds);
    expect(logged).toEqual([expect.stringContaining(holds)]);
    await stuck.unsafe("rollback");
    stuck.release();
  });

  test("an open transaction that uses the table", async () => {
    const url = await server.createDatabase(migratedUrl);
    await using holder = new SQL({ url, max: 1 });
    const open = await holder.reserve();
    await open.unsafe("begin");
    await open.unsafe("select 1 from tags");
    const { failure } = await migrateBeside(url);
    expect(failure.localMessage).toContain("another session of PostgreSQL holds a table");
    await open.unsafe("rollback");
    open.release();
  });
});

test("An address that cannot work is refused without its password", async () => {
  const port = new URL(server.url).port;
  const faults = {
    "/postgres?sslmode=require": "Server does not support SSL",
    "/postgres?sslmode=nonsense": "sslmode",
    "/postgres?sslrootcert=/nowhere&sslmode=verify-full": "",
    "/%zz": "URI",
  };
  for (const [rest, reason] of Object.entries(faults)) {
    const url = `postgres://hub:s3cret@127.0.0.1:${port}${rest}`;
    const err = await openPostgresStore({ url }).catch((failure) => failure);
    expect([rest, err]).toEqual([rest, expect.objectContaining({ code: "bad_configuration" })]);
    expect(err.localMessage).toContain(reason);
    expect(Bun.inspect(err)).not.toContain("s3cret");
  }
});

/** SQLite counts applied migrations elsewhere, and its processes count calls and wait by themselves. */
const onPostgresOnly = new Set(["migrations", "transaction_turns", "call_counts"]);

test("Both databases have the same migrations, tables, columns, keys and indexes", async () => {
  expect(postgresMigrations.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name));
  using sqlite = new Database(":memory:");
  for (const { sql } of migrations) sqlite.run(sql);
  await using pool = new SQL({ url: migratedUrl, max: 1 });
  const described = await describePostgresTables(pool);
  const tables = Object.fromEntries(
    Object.entries(described).filter(([name]) => !onPostgresOnly.has(name)),
  );
  expect(tables).toEqual(describeSqliteTables(sqlite));
});

test("A server of the version before goes on while a migration adds a column to each table", async () => {
  const url = await server.createDatabase(migratedUrl);
  const store = await openPostgresStore({ url, connectionsMax: 2 });
  const { id: userId } = await insertUser(store.db, newUser());
  const read = (db: Db) =>
    Promise.all([
      listTokens(db, { userId }),
      listSessions(db),
      readRows(db, {}),
      listRowOperations(db, userId),
      listPublished(db),
      listChatAccounts(db, userId),
      listChanges(db, { limit: 10 }),
    ]);
  // In a transaction, the client does not prepare a statement again by itself.
  const before = await transaction(store.db, read);
  for (let again = 0; again < 4; again += 1) await transaction(store.db, read);
  await using admin = new SQL({ url, max: 1 });
  const tables = await admin.unsafe(
    "select tablename as name from pg_tables where schemaname = 'public'",
  );
  for (const { name } of tables) await admin.unsafe(`alter table ${name} add column newer integer`);
  expect(await transaction(store.db, read)).toEqual(before);
  expect(await read(store.db)).toEqual(before);
  await store.close();
});

test.each([
  ...["25P03", "25P04", "57P01", "57P03", "57P05", "57014", "08006", "58030", "53100", "25006"],
])("A failure of the database with %s is unavailable, so that senders try again", (errno) => {
  const failure = new SQL.PostgresError("failed", { errno, code: "ERR_POSTGRES_SERVER_ERROR" });
  expect(toStoreError(failure)).toMatchObject({ code: "unavailable" });
});
