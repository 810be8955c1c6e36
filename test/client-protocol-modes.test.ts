/**
 * Official clients settle on an mode with the hub, fall back from one to the other, and cancel as
 * their mode has it. That each of them can do everything else is shown in clients.test.ts.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type AuditRow, readAudit } from "./support/audit.ts";
import * as sdk1 from "./support/connect-sdk-1.ts";
import * as sdk2 from "./support/connect-sdk-2.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { startSessionModeServer } from "./support/session-mode-only.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { toStdioCommand } from "./support/stdio-command.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(30_000);

const main = join(import.meta.dirname, "support/fixture-hub.ts");
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let oldUrl: string;
let rowId: string;

beforeAll(async () => {
  hub = owned.use(await startHub({ main }));
  oldUrl = owned.use(startSessionModeServer(hub.url)).url;
  const added = await hub.tryCli(
    ["row", "add", "fixture", "--label", "Laboratory", "--secret-env", "secret=SECRET", "--json"],
    { env: { SECRET: "row-secret-0123456789" } },
  );
  rowId = added.json<{ id: string }>().id;
});

afterAll(() => owned.disposeAsync());

/** A command that starts the hub behind what refuses the stateless mode. */
function toOldCommand() {
  const { command, args, ...rest } = toStdioCommand({ dataDir: hub.dataDir, main });
  const filter = join(import.meta.dirname, "support/session-mode-only.ts");
  return { ...rest, command, args: [filter, command, ...args] };
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
    "of the session mode over HTTP",
    newestSession,
    () => sdk2.connectHttp(hub.url, hub.adminToken(), "legacy"),
  ],
  [
    "of the session mode over stdio",
    newestSession,
    () => sdk2.connectStdio({ dataDir: hub.dataDir, main }, "legacy"),
  ],
  [
    "auto over HTTP, refused in the stateless mode",
    newestSession,
    () => sdk2.connectHttp(oldUrl, hub.adminToken()),
  ],
  [
    "auto over stdio, refused in the stateless mode",
    newestSession,
    () => sdk2.connectCommand(toOldCommand(), "auto"),
  ],
];

describe.each(clients)("client 2.4, %s", (title, revision, connect) => {
  test(`settles on ${revision} and is served`, async () => {
    await using client = await connect();
    expect(client.revision()).toBe(revision);
    const answer = await client.execute(`conn:${rowId}/greet`, { name: "Ada" });
    expect(answer).toMatchObject({ isError: false, value: { greeting: "Hello Ada" } });
    const shakesHands = client.sent().includes("initialize");
    expect(shakesHands).toBe(revision !== stateless);
  });

  test("reads from a result what was wrong with a tool's arguments", async () => {
    await using client = await connect();
    const { isError, value } = await client.call("hub_get", { tool: "x" });
    expect([isError, value.code]).toEqual([true, "invalid_params"]);
    expect(value.issues).toContainEqual({ path: "tool_id", message: '"tool_id" is required.' });
  });

  const isDisconnect = revision === stateless && title.includes("HTTP");
  const how = isDisconnect ? "leaving, without a word" : "a notification";

  test(`cancels by ${how}, and the run is on record as cancelled`, async () => {
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
])("an older client, sdk 1.32 over %s, that knows the session mode only", (_, connect) => {
  test("is served, and cancels by a notification", async () => {
    await using client = await connect();
    expect((await client.call("hub_list")).isError).toBeFalse();
    expect(await cancelWait(client)).toMatchObject({ status: "cancelled" });
    expect((await client.call("hub_info")).isError).toBeFalse();
  });
});

test("a client that demands a revision which the hub does not speak is told so", async () => {
  const connected = sdk2.connectHttp(hub.url, hub.adminToken(), { pin: "2031-01-01" });
  await expect(connected).rejects.toThrow("Unsupported protocol version");
});

test("none of them gives the hub a reason to warn", () => {
  expect(hub.stderr()).not.toContain("Refused requests");
});

/** Starts the operation that waits, cancels it once it runs, and resolves with its ended run. */
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
