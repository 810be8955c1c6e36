/**
 * Official clients negotiate a protocol mode with the hub, fall back to the other mode, and cancel calls as
 * their mode requires. clients.test.ts tests everything else.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { someOf } from "@hub/server/lib/testing/amount.ts";
import { type AuditRow, readAudit } from "./support/audit.ts";
import * as sdk1 from "./support/connect-sdk-1.ts";
import * as sdk2 from "./support/connect-sdk-2.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { startSessionModeServer } from "./support/session-mode-only.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { toStdioCommand } from "./support/stdio-command.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "support/fixture-hub.ts");
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let sessionModeUrl: string;
let rowId: string;

beforeAll(async () => {
  hub = owned.use(await startHub({ isHere: true, main }));
  sessionModeUrl = owned.use(startSessionModeServer(hub.url)).url;
  const added = await hub.tryCli(
    ["row", "add", "fixture", "--label", "Laboratory", "--secret-env", "secret=SECRET", "--json"],
    { env: { SECRET: "row-secret-9fK2xQ7vLm4R" } },
  );
  rowId = added.json<{ id: string }>().id;
});

afterAll(() => owned.disposeAsync());

/** A command that starts the hub behind a filter that refuses the stateless mode. */
function toSessionModeCommand() {
  const { command, args, ...rest } = toStdioCommand({ dataDir: hub.dataDir, main });
  const filter = join(import.meta.dirname, "support/session-mode-only.ts");
  return { ...rest, command: process.execPath, args: [filter, command, ...args] };
}

const stateless = "2026-07-28";
const newestSession = "2025-11-25";

const clients: Array<[string, string, () => Promise<sdk2.Sdk2Client>]> = [
  ["auto over HTTP", stateless, () => sdk2.connectHttp(hub.url, hub.adminToken())],
  ["auto over stdio", stateless, () => sdk2.connectStdio({ dataDir: hub.dataDir, main })],
  [
    "pinned to 2026-07-28 over HTTP",
    stateless,
    () => sdk2.connectHttp(hub.url, hub.adminToken(), { pin: stateless }),
  ],
  [
    "session mode over HTTP",
    newestSession,
    () => sdk2.connectHttp(hub.url, hub.adminToken(), "legacy"),
  ],
  [
    "session mode over stdio",
    newestSession,
    () => sdk2.connectStdio({ dataDir: hub.dataDir, main }, "legacy"),
  ],
  [
    "auto over HTTP, refused in the stateless mode",
    newestSession,
    () => sdk2.connectHttp(sessionModeUrl, hub.adminToken()),
  ],
  [
    "auto over stdio, refused in the stateless mode",
    newestSession,
    () => sdk2.connectCommand(toSessionModeCommand(), "auto"),
  ],
];

describe.each(someOf(3, clients))("client 2.4, %s", (title, revision, connect) => {
  test(`The client negotiates ${revision}, and its call succeeds`, async () => {
    await using client = await connect();
    expect(client.revision()).toBe(revision);
    const answer = await client.execute(`conn:${rowId}/greet`, { name: "Ada" });
    expect(answer).toMatchObject({ isError: false, value: { greeting: "Hello Ada" } });
    const hasInitialized = client.sent().includes("initialize");
    expect(hasInitialized).toBe(revision !== stateless);
  });

  test("The client gets the problems of a tool's arguments in a result", async () => {
    await using client = await connect();
    const { isError, value } = await client.call("hub_get", { tool: "x" });
    expect([isError, value.code]).toEqual([true, "invalid_params"]);
    expect(value.issues).toContainEqual({ path: "tool_id", message: '"tool_id" is required.' });
  });

  const isDisconnect = revision === stateless && title.includes("HTTP");
  const cancellation = isDisconnect ? "closing its connection" : "a notification";

  test(`The client cancels by ${cancellation}, and the run is recorded as cancelled`, async () => {
    await using client = await connect();
    expect(await cancelWait(client)).toMatchObject({
      status: "cancelled",
      error_code: "cancelled",
    });
    expect(client.sent().includes("notifications/cancelled")).toBe(!isDisconnect);
    expect((await client.call("hub_info")).isError).toBeFalse();
  });
});

describe.each([
  ["HTTP", () => sdk1.connectHttp(hub.url, hub.adminToken())],
  ["stdio", () => sdk1.connectStdio({ dataDir: hub.dataDir, main })],
])("sdk 1.32, which supports only the session mode, over %s", (_, connect) => {
  test("A client of the session mode can call tools, and cancels by a notification", async () => {
    await using client = await connect();
    expect((await client.call("hub_list")).isError).toBeFalse();
    expect(await cancelWait(client)).toMatchObject({ status: "cancelled" });
    expect((await client.call("hub_info")).isError).toBeFalse();
  });
});

test("A client that requires an unsupported revision cannot connect", async () => {
  const connected = sdk2.connectHttp(hub.url, hub.adminToken(), { pin: "2031-01-01" });
  await expect(connected).rejects.toThrow("Unsupported protocol version");
});

test("The official clients cause no warnings in the log", () => {
  expect(hub.stderr()).not.toContain("Refused requests");
});

/** Starts the operation `wait`, cancels it when it runs, and returns the ended run. */
async function cancelWait(client: TestClient): Promise<AuditRow> {
  const before = new Set(readAudit(hub.dataDir).map(({ id }) => id));
  const findRun = () =>
    readAudit(hub.dataDir).find(({ id, operation_key: key }) => key === "wait" && !before.has(id));
  const abort = new AbortController();
  const options = { signal: abort.signal };
  const failure = client.execute(`conn:${rowId}/wait`, {}, options).catch((thrown) => thrown);
  await waitFor(() => findRun()?.status === "running");
  abort.abort("changed my mind");
  expect(String(await failure)).toContain("changed my mind");
  return await waitFor(() => {
    const run = findRun();
    return run?.ended_at != null && run;
  });
}
