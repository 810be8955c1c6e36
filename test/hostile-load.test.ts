/**
 * Many at once, and slow ones: others are served meanwhile, every run is closed, and what the process
 * held for them is given back. Memory is bounded generously: it says that nothing piles up.
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
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(60_000);

const main = join(import.meta.dirname, "support/hostile-hub.ts");
const spareMiB = 160;
/** Room for the connections that this process's own fetch keeps for later. */
const spareDescriptors = 300;
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let ada: TestUser;
let bystander: TestClient;
let rowId: string;
let atRest: ProcessUsage;

beforeAll(async () => {
  hub = owned.use(await startHub({ main }));
  ada = await hub.addUser("ada@example.com", { tags: ["lab"] });
  const added = await hub.tryCli(
    [
      ...["row", "add", "hostile", "--label", "Hostile", "--tag", "lab"],
      ...["--secret-env", "secret=SECRET", "--json"],
    ],
    { env: { SECRET: "row-secret-0123456789" } },
  );
  rowId = added.json<{ id: string }>().id;
  bystander = owned.use(await connectHttp(hub.url, hub.adminToken()));
  for (let call = 0; call < 200; call += 1) await expectServed();
  if (isUsageKnown) atRest = readUsage(hub.pid);
});

afterAll(() => owned.disposeAsync());

/** Whatever a test did is over when the process holds what it held before. */
afterEach(async () => {
  await expectServed();
  if (!isUsageKnown) return;
  await waitFor(() => {
    const { residentMiB, descriptors } = readUsage(hub.pid);
    return (
      residentMiB < atRest.residentMiB + spareMiB &&
      descriptors < atRest.descriptors + spareDescriptors
    );
  });
});

const toolId = (operation: string) => `conn:${rowId}/${operation}`;

async function expectServed(): Promise<void> {
  const { value } = await bystander.execute(toolId("echo"), { text: "served" });
  expect(value.text).toBe("served");
}

const stateless = "2026-07-28";

/** A call of the session mode, or of the stateless one with the headers that belong to it. */
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

function leaveAll(connections: readonly RawConnection[]): void {
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

test("64 connections that announce 4 MiB each and send nothing keep nobody out of any door", async () => {
  const connections = await openMany(128);
  const host = `Host: localhost:${hub.port}`;
  for (const [index, { socket }] of connections.entries()) {
    // Half of them behind a good token, half before any.
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
  // 403 is the answer of the form's own check, which comes after its body was read.
  expect((await fetch(`${hub.url}/auth/login`, form)).status).toBe(403);
  leaveAll(connections);
});

describe("1,000 connections", () => {
  test("that send nothing, or half a head", async () => {
    const connections = await openMany(1_000);
    for (const [index, { socket }] of connections.entries()) {
      if (index % 2 === 0) socket.write("POST /mcp HTTP/1.1\r\nHost: local");
    }
    await expectServed();
    leaveAll(connections);
  });

  test("that send half a body, with a good token", async () => {
    const connections = await openMany(1_000);
    const request = toCallRequest("echo", 1);
    for (const { socket } of connections) socket.write(request.slice(0, -10));
    await expectServed();
    leaveAll(connections);
    await waitFor(() => !isUsageKnown || readUsage(hub.pid).descriptors < 500);
    expect(Object.keys(countRuns("echo"))).toEqual(["success"]);
  });

  test("with an open stream each, cancelled by name", async () => {
    const connections = await openMany(1_000);
    let opened = 0;
    for (const [index, { socket }] of connections.entries()) {
      socket.once("data", () => {
        opened += 1;
      });
      socket.write(toCallRequest("stream", index));
    }
    await waitFor(() => opened === 1_000);
    await expectServed();
    expect(countRuns("stream")).toEqual({ running: 1_000 });
    await Promise.all(connections.map((_, index) => cancel(index)));
    await waitFor(() => countRuns("stream").cancelled === 1_000);
    leaveAll(connections);
  });

  test("that wait for what never comes, cancelled by leaving", async () => {
    const connections = await openMany(1_000);
    for (const [index, { socket }] of connections.entries()) {
      socket.write(toCallRequest("hang", index, "stateless"));
    }
    await waitFor(() => countRuns("hang").running === 1_000);
    await expectServed();
    leaveAll(connections);
    await waitFor(() => countRuns("hang").cancelled === 1_000);
    expect(countRuns("hang")).toEqual({ cancelled: 1_000 });
  });
});

// Before the test that fills the hub's memory, of which the system gets back some only later.
test("a reader that takes nothing of a stream without end makes the hub hold little of it", async () => {
  await using raw = await openRaw(hub.port);
  raw.socket.pause();
  raw.send(toCallRequest("report", 1));
  await waitFor(() => hub.stderr().includes("step 20000"));
  // Each step is more than 10 KB, so all of them would be 200 MB. Garbage is given back some time later.
  const holdsLittle = () => readUsage(hub.pid).residentMiB < atRest.residentMiB + spareMiB;
  if (isUsageKnown) await waitFor(holdsLittle);
  await expectServed();
  await cancel(1);
  await waitFor(() => countRuns("report").cancelled === 1);
});

test("100 clients that ask for a megabyte each and do not read it", async () => {
  const connections = await openMany(100);
  for (const [index, { socket }] of connections.entries()) {
    socket.pause();
    socket.write(toCallRequest("megabyte", index));
  }
  await waitFor(() => countRuns("megabyte").success === 100);
  await expectServed();
  leaveAll(connections);
});

test("5,000 handshakes leave no more than the sessions that a user may have", async () => {
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "x" } },
  };
  let first = "";
  let last = "";
  for (let round = 0; round < 50; round += 1) {
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
  const enter = (id: string) => postRpc(hub.url, ada.token, ping, { "mcp-session-id": id });
  // The first has given way and is taken for another process's: it gets a fresh id.
  const [old, fresh] = [await enter(first), await enter(last)];
  expect([old.status, fresh.status]).toEqual([200, 200]);
  expect(old.headers.get("mcp-session-id")).toMatch(/^[0-9a-f-]{36}$/);
  expect(fresh.headers.get("mcp-session-id")).toBeNull();
});

const canLimit = isUsageKnown && Bun.which("prlimit") !== null;
const limitSkipReason = canLimit ? "" : " (skipped: it needs Linux and prlimit)";

test.skipIf(!canLimit)(
  `without a free descriptor those who are there are served, and others once there is one${limitSkipReason}`,
  async () => {
    await using there = await openRaw(hub.port);
    const ask = async () => {
      there.send(toCallRequest("no_such_operation", 1));
      return (await there.answer())?.status;
    };
    expect(await ask()).toBe(200);
    // Numbers count, not how many there are: earlier tests may have left some with high ones.
    const isFree = createFreeNumbers(hub.pid);
    let limit = 0;
    for (let free = 0; free < 40; limit += 1) if (isFree(limit)) free += 1;
    const usual = readDescriptorLimit(hub.pid);
    setDescriptorLimit(hub.pid, limit);
    try {
      const connections = await openMany(400);
      await waitFor(() => {
        const isStillFree = createFreeNumbers(hub.pid);
        return !Array.from({ length: limit }, (_, number) => number).some(isStillFree);
      });
      expect(await ask()).toBe(200);
      leaveAll(connections);
      await using late = await openRaw(hub.port);
      late.send(toCallRequest("no_such_operation", 1));
      expect((await late.answer())?.status).toBe(200);
    } finally {
      setDescriptorLimit(hub.pid, usual);
    }
  },
);

/** Tells which descriptor numbers a process has no file for, as it is now. */
function createFreeNumbers(pid: number): (number: number) => boolean {
  const taken = new Set(readdirSync(`/proc/${pid}/fd`).map(Number));
  return (number) => !taken.has(number);
}

function setDescriptorLimit(pid: number, limit: number): void {
  // The hard limit stays, so that it can be raised again.
  const { exitCode } = Bun.spawnSync(["prlimit", `--pid=${pid}`, `--nofile=${limit}:`]);
  expect(exitCode).toBe(0);
}

describe("over stdio", () => {
  test("1,000 calls that hang hold up nothing, and each is cancelled by name", async () => {
    await using session = openStdioSession({ main, dataDir: hub.dataDir });
    const before = countRuns("wait").cancelled ?? 0;
    for (let id = 0; id < 1_000; id += 1) {
      session.send(toToolCall("hub_execute", { tool_id: toolId("wait"), params: {} }, id));
    }
    await waitFor(() => countRuns("wait").running === 1_000);
    session.send({ jsonrpc: "2.0", id: "ping", method: "ping" });
    expect((await session.answerTo("ping")).result).toEqual({});
    for (let id = 0; id < 1_000; id += 1) {
      const params = { requestId: id };
      session.send({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    }
    await waitFor(() => countRuns("wait").cancelled === before + 1_000);
    // MCP wants no reply to what was cancelled.
    expect(readMessages(session.stdout())).toHaveLength(1);
    expect(await session.close()).toBe(0);
  });
});
