/**
 * Many and slow connections: other clients are served, every run ends, and memory and descriptors are
 * released. The bounds of memory are generous: they only detect growth without limit.
 */
import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { amount } from "@hub/server/lib/testing/amount.ts";
import { nightlyDescribe, nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { countByStatus } from "./support/audit.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import type { TestClient } from "./support/mcp-client.ts";
import {
  isUsageKnown,
  type ProcessUsage,
  readDescriptorLimit,
  readUsage,
} from "./support/process-usage.ts";
import { openRaw, type RawConnection, toRequest } from "./support/raw-http.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub, type TestUser } from "./support/start-hub.ts";
import { openStdioSession, readMessages } from "./support/stdio-session.ts";
import { nightlyTestOnSqlite } from "./support/test-on-sqlite.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "support/hostile-hub.ts");
/** How many connections, streams and calls are open at once. */
const many = Number(process.env.HUB_TEST_LOAD ?? amount(150, 400));
const spareMiB = 160;
/** Descriptors for the keep-alive connections of this process's own fetch. */
const spareDescriptors = 300;
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let ada: TestUser;
let bystander: TestClient;
let rowId: string;
let usageAtRest: ProcessUsage;

beforeAll(async () => {
  hub = owned.use(await startHub({ main }));
  ada = await hub.addUser("ada@example.com", { tags: ["lab"] });
  const added = await hub.tryCli(
    [
      ...["row", "add", "hostile", "--label", "Hostile", "--tag", "lab"],
      ...["--secret-env", "secret=SECRET", "--json"],
    ],
    { env: { SECRET: "row-secret-9fK2xQ7vLm4R" } },
  );
  rowId = added.json<{ id: string }>().id;
  bystander = owned.use(await connectHttp(hub.url, hub.adminToken()));
  for (let call = 0; call < 200; call += 1) await expectServed();
  if (isUsageKnown) usageAtRest = readUsage(hub.pid);
});

afterAll(() => owned.disposeAsync());

/** Waits after each test until every run has ended, and the hub has released its memory and descriptors. */
afterEach(async () => {
  await expectServed();
  await waitFor(() => countByStatus(hub.dataDir).running === undefined);
  if (isUsageKnown) await waitFor(isAtRest);
});

function isAtRest(): boolean {
  const { residentMiB, descriptors } = readUsage(hub.pid);
  return (
    residentMiB < usageAtRest.residentMiB + spareMiB &&
    descriptors < usageAtRest.descriptors + spareDescriptors
  );
}

const toolId = (operation: string) => `conn:${rowId}/${operation}`;

async function expectServed(): Promise<void> {
  const { value } = await bystander.execute(toolId("echo"), { text: "served" });
  expect(value.text).toBe("served");
}

const stateless = "2026-07-28";

/** A call of the session mode, or of the stateless mode with its headers. */
function toCallRequest(operation: string, id: number, mode: "session" | "stateless" = "session") {
  const message = toToolCall("hub_execute", { tool_id: toolId(operation), params: {} }, id);
  const meta =
    mode === "session"
      ? { progressToken: id }
      : {
          "io.modelcontextprotocol/protocolVersion": stateless,
          "io.modelcontextprotocol/clientCapabilities": {},
        };
  const body = JSON.stringify({ ...message, params: { ...message.params, _meta: meta } });
  return toRequest(
    "POST /mcp HTTP/1.1",
    [
      `Host: localhost:${hub.port}`,
      `Authorization: Bearer ${ada.token}`,
      "Accept: application/json, text/event-stream",
      "Content-Type: application/json",
      `Content-Length: ${body.length}`,
      ...(mode === "session"
        ? []
        : [
            `MCP-Protocol-Version: ${stateless}`,
            "Mcp-Method: tools/call",
            "Mcp-Name: hub_execute",
          ]),
    ],
    body,
  );
}

function openMany(count: number): Promise<RawConnection[]> {
  return Promise.all(Array.from({ length: count }, () => openRaw(hub.port)));
}

function closeAll(connections: readonly RawConnection[]): void {
  for (const { socket } of connections) socket.destroy();
}

const countRuns = (operation: string) => countByStatus(hub.dataDir, operation);

async function cancel(id: number | string): Promise<void> {
  const params = { requestId: id };
  await postRpc(hub.url, ada.token, {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params,
  });
}

test("128 connections with a large Content-Length and no body do not block other requests", async () => {
  const connections = await openMany(128);
  const host = `Host: localhost:${hub.port}`;
  for (const [index, { socket }] of connections.entries()) {
    // Half of them have a valid token, and half have none.
    const [line, more] =
      index % 2 === 0
        ? [
            "POST /mcp HTTP/1.1",
            [
              `Authorization: Bearer ${ada.token}`,
              "Content-Type: application/json",
              "Content-Length: 4194304",
            ],
          ]
        : [
            "POST /auth/login HTTP/1.1",
            ["Content-Type: application/x-www-form-urlencoded", "Content-Length: 65536"],
          ];
    socket.write(toRequest(String(line), [host, ...more]));
  }
  const large = JSON.stringify({ ...toToolCall("hub_list", {}), padding: "x".repeat(4_000_000) });
  for (const token of [ada.token, hub.adminToken()]) {
    expect((await postRpc(hub.url, token, large)).status).toBe(200);
  }
  const form = { method: "POST", body: new URLSearchParams({ grant_type: "refresh_token" }) };
  expect((await fetch(`${hub.url}/oauth/token`, form)).status).toBe(400);
  // The form's CSRF check, which needs the body, answers 403.
  expect((await fetch(`${hub.url}/auth/login`, form)).status).toBe(403);
  closeAll(connections);
});

nightlyTest(
  "Bodies in chunks of one byte take no more memory than their bytes, also while they are held",
  async () => {
    const connections = await openMany(4);
    const chunks = Buffer.from("1\r\n \r\n".repeat(16_384));
    for (const [index, { socket }] of connections.entries()) {
      const [line, more] =
        index < 2
          ? ["POST /mcp HTTP/1.1", `Authorization: Bearer ${ada.token}`]
          : ["POST /auth/login HTTP/1.1", "Content-Type: application/x-www-form-urlencoded"];
      const host = `Host: localhost:${hub.port}`;
      socket.write(toRequest(String(line), [host, String(more), "Transfer-Encoding: chunked"]));
      // 4 MB of a user, and 48 KiB of a stranger: less than each may send.
      for (let sent = 0; sent < (index < 2 ? 240 : 3); sent += 1) socket.write(chunks);
    }
    await Promise.all(connections.map(({ socket }) => waitFor(() => socket.writableLength === 0)));
    await expectServed();
    if (isUsageKnown) {
      expect(readUsage(hub.pid).residentMiB).toBeLessThan(usageAtRest.residentMiB + spareMiB);
    }
    closeAll(connections);
  },
);

describe("Many connections", () => {
  test("Other clients are served during many connections that send nothing or half a header", async () => {
    const connections = await openMany(many);
    for (const [index, { socket }] of connections.entries()) {
      if (index % 2 === 0) socket.write("POST /mcp HTTP/1.1\r\nHost: local");
    }
    await expectServed();
    closeAll(connections);
  });

  test("Other clients are served during many authenticated requests with half a body", async () => {
    const connections = await openMany(many);
    const request = toCallRequest("echo", 1);
    for (const { socket } of connections) socket.write(request.slice(0, -10));
    await expectServed();
    closeAll(connections);
    await waitFor(() => !isUsageKnown || readUsage(hub.pid).descriptors < many);
    expect(Object.keys(countRuns("echo"))).toEqual(["success"]);
  });

  nightlyTest("Many open streams can be cancelled by notifications", async () => {
    const connections = await openMany(many);
    let opened = 0;
    for (const [index, { socket }] of connections.entries()) {
      socket.once("data", () => {
        opened += 1;
      });
      socket.write(toCallRequest("stream", index));
    }
    await waitFor(() => opened === many);
    await expectServed();
    expect(countRuns("stream")).toEqual({ running: many });
    await Promise.all(connections.map((_, index) => cancel(index)));
    await waitFor(() => countRuns("stream").cancelled === many);
    closeAll(connections);
  });

  test("Many hanging calls at once are cancelled when their connections close", async () => {
    const connections = await openMany(many);
    for (const [index, { socket }] of connections.entries()) {
      socket.write(toCallRequest("hang", index, "stateless"));
    }
    await waitFor(() => countRuns("hang").running === many);
    await expectServed();
    closeAll(connections);
    await waitFor(() => countRuns("hang").cancelled === many);
    expect(countRuns("hang")).toEqual({ cancelled: many });
  });
});

// This test is before the one that fills the hub's memory, which the system gets back slowly.
test("The hub limits the buffer of an endless stream that its client does not read", async () => {
  await using raw = await openRaw(hub.port);
  raw.socket.pause();
  raw.send(toCallRequest("report", 1));
  await waitFor(() => hub.stderr().includes("step 2000"));
  // Each step is more than 100 KB, so all steps together are 200 MB. Garbage is collected later.
  const isMemoryLow = () => readUsage(hub.pid).residentMiB < usageAtRest.residentMiB + spareMiB;
  if (isUsageKnown) await waitFor(isMemoryLow);
  await expectServed();
  await cancel(1);
  await waitFor(() => countRuns("report").cancelled === 1);
});

nightlyTest(
  "Other clients are served while 100 clients do not read their answers of 1 MB",
  async () => {
    const connections = await openMany(100);
    for (const [index, { socket }] of connections.entries()) {
      socket.pause();
      socket.write(toCallRequest("megabyte", index));
    }
    await waitFor(() => countRuns("megabyte").success === 100);
    await expectServed();
    closeAll(connections);
  },
);

// `mcp-sessions.test.ts` shows the bound with few sessions.
nightlyTestOnSqlite(
  "replacedSessionIds",
  "Handshakes of a user leave only the allowed number of sessions",
  async () => {
    const initialize = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x" } },
    };
    let first = "";
    let last = "";
    // A user may have 1,000 sessions.
    for (let round = 0; round < 11; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => postRpc(hub.url, ada.token, initialize)),
      );
      for (const answer of answers) {
        await answer.body?.cancel();
        last = answer.headers.get("mcp-session-id") ?? "";
        first ||= last;
      }
    }
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const pingSession = (id: string) => postRpc(hub.url, ada.token, ping, { "mcp-session-id": id });
    // The first session was evicted. Its id is treated like one of another process, and replaced.
    const [old, fresh] = [await pingSession(first), await pingSession(last)];
    expect([old.status, fresh.status]).toEqual([200, 200]);
    expect(old.headers.get("mcp-session-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(fresh.headers.get("mcp-session-id")).toBeNull();
  },
);

const canLimit = isUsageKnown && Bun.which("prlimit") !== null;
const limitSkipReason = canLimit ? "" : " (skipped: it needs Linux and prlimit)";

test.skipIf(!canLimit)(
  `Without free descriptors, connected clients are served, and new ones when a descriptor is free${limitSkipReason}`,
  async () => {
    await using connected = await openRaw(hub.port);
    const callStatus = async () => {
      connected.send(toCallRequest("no_such_operation", 1));
      return (await connected.answer())?.status;
    };
    expect(await callStatus()).toBe(200);
    // The limit applies to descriptor numbers, not to their count. Earlier tests may have left high numbers.
    const isFree = snapshotFreeNumbers(hub.pid);
    let limit = 0;
    for (let free = 0; free < 40; limit += 1) if (isFree(limit)) free += 1;
    const usualLimit = readDescriptorLimit(hub.pid);
    setDescriptorLimit(hub.pid, limit);
    try {
      const connections = await openMany(400);
      await waitFor(() => {
        const isStillFree = snapshotFreeNumbers(hub.pid);
        return !Array.from({ length: limit }, (_, number) => number).some(isStillFree);
      });
      expect(await callStatus()).toBe(200);
      closeAll(connections);
      await using late = await openRaw(hub.port);
      late.send(toCallRequest("no_such_operation", 1));
      expect((await late.answer())?.status).toBe(200);
    } finally {
      setDescriptorLimit(hub.pid, usualLimit);
    }
  },
);

/** Returns a function that says whether a descriptor number of the process is free at this time. */
function snapshotFreeNumbers(pid: number): (number: number) => boolean {
  const taken = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  return (number) => !taken.has(number);
}

function setDescriptorLimit(pid: number, limit: number): void {
  // The hard limit is unchanged, so that the soft limit can be raised again.
  const { exitCode } = Bun.spawnSync(["prlimit", `--pid=${pid}`, `--nofile=${limit}:`]);
  expect(exitCode).toBe(0);
}

nightlyDescribe("Many calls over stdio", () => {
  test("Many hanging calls block nothing, and each can be cancelled", async () => {
    await using session = openStdioSession({ main, dataDir: hub.dataDir });
    const before = countRuns("wait").cancelled ?? 0;
    for (let id = 0; id < many; id += 1) {
      session.send(toToolCall("hub_execute", { tool_id: toolId("wait"), params: {} }, id));
    }
    await waitFor(() => countRuns("wait").running === many);
    session.send({ jsonrpc: "2.0", id: "ping", method: "ping" });
    expect((await session.answerTo("ping")).result).toEqual({});
    for (let id = 0; id < many; id += 1) {
      const params = { requestId: id };
      session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    }
    await waitFor(() => countRuns("wait").cancelled === before + many);
    // MCP forbids answers to cancelled requests.
    expect(readMessages(session.stdout())).toHaveLength(1);
    expect(await session.close()).toBe(0);
  });
});
