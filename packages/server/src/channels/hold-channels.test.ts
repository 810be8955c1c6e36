import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createLocalConnector } from "../connectors/local-connector.ts";
import type { Directory, Row } from "../connectors/rows/row-directory.ts";
import { HubError } from "../errors.ts";
import { createLog } from "../lib/logs/create-log.ts";
import { createManualTimers } from "../lib/time/manual-timers.ts";
import { createRowSecrets } from "../secrets/masks/row-secrets.ts";
import { listChannelStates } from "../store/channels/channels-table.ts";
import { openStore } from "../store/open-store.ts";
import { insertRow } from "../store/rows/rows-table.ts";
import type { Store } from "../store/store.ts";
import { newRow } from "../store/test-data.ts";
import { runSql } from "../store/testing/run-sql.ts";
import { ChatRefusal, ChatRetryLater } from "./chat-adapter.ts";
import { type ChannelHolder, createChannelHolder } from "./hold-channels.ts";
import { createFakeChat, type FakeChat } from "./testing/fake-chat.ts";

let dataDir: string;
let store: Store;
let chat: FakeChat;
let timers: ReturnType<typeof createManualTimers>;
let holder: ChannelHolder;
let row: Row;
let rows: Row[];
let isAway: boolean;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-hold-"));
  store = await openStore({ dataDir });
  chat = createFakeChat();
  timers = createManualTimers();
  const { id } = await insertRow(store.db, newRow({ connectorKey: "fakechat", slug: "team" }));
  const config = {
    values: { token: "t0ken", mode: "socket" },
    secrets: createRowSecrets(["t0ken"]),
    missing: [],
    savedHosts: [],
  };
  row = {
    id,
    connectorKey: "fakechat",
    label: "Team",
    description: "",
    disabled: false,
    tests: "admins",
    access: "shared" as const,
    owner: null,
    tags: [],
    operationStates: {},
    slug: "team",
    version: 1,
    connectionId: null,
    record: {} as never,
    operations: new Map(),
    openPersonal: () => {
      throw new Error("Not used.");
    },
    config: () => config,
  };
  rows = [row];
  isAway = false;
  const connector = createLocalConnector(chat.connector, () => ({}), { isChat: true });
  holder = createChannelHolder({
    db: store.db,
    timers,
    instanceId: "one",
    outboundAllow: [],
    log: createLog("silent"),
    registry: { find: () => connector },
    directory: {
      async current() {
        if (isAway) throw new HubError("unavailable", "The database does not answer.");
        return { rows, isTypeDisabled: () => false } as unknown as Directory;
      },
    },
    isChat: () => true,
    loadAdapter: async () => chat.adapter,
    receive: async () => ({ runs: 0 }),
    baseUrl: "https://hub.example",
    now: () => timers.now(),
    random: () => 1,
    logFailure: () => {},
  });
});
afterEach(async () => {
  await holder.stop();
  await store.close();
  await rm(dataDir, { recursive: true });
});

/** Lets writes of the database and promises go on. */
async function until(isDone: () => unknown): Promise<void> {
  while (!(await isDone())) await new Promise((resolve) => setImmediate(resolve));
}
const holds = () => chat.holds.get(row.id) ?? 0;
/** Lets time pass in steps in which leases can be renewed. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    timers.advance(Math.min(left, 500));
    // The next look, the deadline of the lease, and the pause of the connection.
    await until(() => timers.pending() >= 3);
  }
}
const readState = async () => (await listChannelStates(store.db, [row.id]))[0];

test("A channel that fails is tried again after 1 s, 2 s, 4 s and so on, at most 60 s", async () => {
  chat.refuseConnections(new Error("No route to https://chat.example/t0ken."));
  holder.start();
  await until(() => holds() === 1);
  for (const [at, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
    await until(async () => (await readState())?.reason !== null && timers.pending() >= 3);
    await pass(seconds * 1000 - 1);
    expect(holds()).toBe(at + 1);
    timers.advance(1);
    await until(() => holds() === at + 2);
  }
  expect(await readState()).toMatchObject({
    state: "connecting",
    reason: "No route to https://chat.example/[secret].",
  });
});

test("A platform that says when to try again is left alone until then", async () => {
  chat.refuseConnections(new ChatRetryLater("Too many requests.", 90_000));
  holder.start();
  await until(async () => (await readState())?.reason === "Too many requests.");
  await until(() => timers.pending() >= 3);
  await pass(89_999);
  expect(holds()).toBe(1);
  chat.refuseConnections(null);
  timers.advance(1);
  await until(() => chat.held.has(row.id));
});

test("A refused channel is tried again after 15 minutes, because it may be mended on the platform", async () => {
  chat.refuseConnections(new ChatRefusal("The app lacks a scope."));
  holder.start();
  await until(async () => (await readState())?.state === "failed");
  const look = async () => {
    await until(() => timers.pending() === 1);
    timers.advance(500);
  };
  for (let second = 0; second < 5; second += 1) await look();
  expect(holds()).toBe(1);
  chat.refuseConnections(null);
  timers.advance(15 * 60_000);
  await until(() => chat.held.has(row.id));
  await until(async () => (await readState())?.state === "connected");
  expect(await readState()).toMatchObject({ reason: null, refusedVersion: null });
});

test("A server that lost its lease ends the connection", async () => {
  holder.start();
  await until(() => chat.held.has(row.id));
  await runSql(store.db, "update channel_states set holder = 'two', lease = lease + 1");
  await until(() => {
    timers.advance(1_000);
    return !chat.held.has(row.id);
  });
  expect(await readState()).toMatchObject({ holder: "two" });
});

test("A server that loses its database ends its connections after five seconds", async () => {
  holder.start();
  await until(() => chat.held.has(row.id));
  isAway = true;
  for (let ms = 0; ms < 4_500; ms += 500) {
    await until(() => timers.pending() >= 2);
    timers.advance(500);
  }
  expect(chat.held.has(row.id)).toBe(true);
  await until(() => timers.pending() >= 2);
  timers.advance(500);
  await until(() => !chat.held.has(row.id));
});

test("A platform that does not let a connection end keeps no other one waiting", async () => {
  const { id } = await insertRow(store.db, newRow({ connectorKey: "fakechat", slug: "other" }));
  rows = [row, { ...row, id, slug: "other" }];
  const { hold } = chat.adapter;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  chat.adapter.hold = async (channel, session) => {
    await hold(channel, session);
    if (channel.id === row.id) await ended;
  };
  holder.start();
  await until(() => chat.held.size === 2);
  rows = rows.slice(1);
  const readLeft = async () => {
    const found = await runSql(
      store.db,
      "select held_until from channel_states where row_id = ?",
      id,
    );
    return Number(Object(found[0]).held_until);
  };
  const before = await readLeft();
  await until(async () => {
    timers.advance(1_000);
    return (await readLeft()) > before;
  });
  end();
});

test("A secret manager that does not answer ends no connection, and keeps no other one waiting", async () => {
  const { id } = await insertRow(store.db, newRow({ connectorKey: "fakechat", slug: "slow" }));
  const { promise: silence, resolve: answer } = Promise.withResolvers<void>();
  let isRead = false;
  let asked = 0;
  const config = () => {
    if (isRead) return row.config();
    throw new HubError("needs_setup", "The secret has not been read yet.");
  };
  const prepare = async () => {
    asked += 1;
    await silence;
  };
  holder.start();
  await until(() => chat.held.has(row.id));
  rows = [row, { ...row, id, slug: "slow", config, prepare }];
  // Twice as long as a connection lasts without its lease being renewed.
  for (let ms = 0; ms < 10_000; ms += 250) {
    await until(() => timers.pending() >= 2);
    timers.advance(250);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect([chat.held.has(row.id), chat.held.has(id), asked]).toEqual([true, false, 1]);
  expect(holds()).toBe(1);
  expect(await readState()).toMatchObject({ holder: "one" });
  isRead = true;
  answer();
  await until(() => {
    timers.advance(250);
    return chat.held.has(id);
  });
});

test("A connection stays while the secret of its channel is read again", async () => {
  const { promise: silence, resolve: answer } = Promise.withResolvers<void>();
  let isGone = false;
  let reading: Promise<void> | undefined;
  const ready = row.config();
  const config = () => {
    if (!isGone) return ready;
    throw new HubError("needs_setup", "The secret has not been read yet.");
  };
  rows = [{ ...row, config, prepare: async () => await reading }];
  holder.start();
  await until(() => chat.held.has(row.id));
  reading = silence;
  isGone = true;
  for (let ms = 0; ms < 5_000; ms += 250) {
    await until(() => timers.pending() >= 2);
    timers.advance(250);
  }
  expect(chat.held.has(row.id)).toBe(true);
  answer();
  await until(() => {
    timers.advance(250);
    return !chat.held.has(row.id);
  });
});

test("A former row whose secret is gone ends its own connection alone", async () => {
  const { id } = await insertRow(store.db, newRow({ connectorKey: "fakechat", slug: "other" }));
  let isGone = false;
  const config = () => {
    if (!isGone) return row.config();
    throw new HubError("needs_setup", "The reference was deleted.");
  };
  rows = [
    { ...row, config },
    { ...row, id, slug: "other" },
  ];
  holder.start();
  await until(() => chat.held.size === 2);
  isGone = true;
  rows = [row, ...rows.slice(1)];
  await until(() => {
    timers.advance(250);
    return holds() === 2 && chat.held.size === 2;
  });
  expect(chat.holds.get(id)).toBe(1);
});

test("A stop waits for a channel that is being taken, and gives it back", async () => {
  const { promise: claiming, resolve } = Promise.withResolvers<void>();
  const { now } = timers;
  // The holder reads the time right before it takes a channel.
  timers.now = () => {
    resolve();
    return now();
  };
  holder.start();
  await claiming;
  await holder.stop();
  expect(await readState()).toMatchObject({ holder: null });
  expect(chat.held.size).toBe(0);
});
