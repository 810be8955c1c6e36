/** The connector `mcp` discovers and calls the tools of servers that others wrote, over each transport. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beginConnect } from "../../packages/server/src/bridges/mcp/oauth/begin-sign-in.ts";
import { finishConnect } from "../../packages/server/src/bridges/mcp/oauth/finish-sign-in.ts";
import { openTestBridge } from "../../packages/server/src/bridges/mcp/testing/open-test-bridge.ts";
import { someOf } from "../../packages/server/src/lib/testing/amount.ts";
import { type BridgeAdmin, openBridgeAdmin } from "../support/bridges/bridge-admin.ts";
import { connectHttp } from "../support/connect-sdk-2.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { findFreePort } from "../support/free-port.ts";
import { readAnswer, type TestClient } from "../support/mcp-client.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { addedText } from "./support/change-tools.ts";
import { startToolsProxy } from "./support/change-tools-proxy.ts";
import { findChromium } from "./support/chromium.ts";
import { serveNewestProtocol } from "./support/newest-protocol.ts";
import { findNode, spawnNode } from "./support/run-node.ts";

setDefaultTimeout(180_000);

const everything = "@modelcontextprotocol/server-everything/dist/index.js";
const files = "@modelcontextprotocol/server-filesystem/dist/index.js";
const oauthExample = "@modelcontextprotocol/sdk/dist/esm/examples/server/simpleStreamableHttp.js";
const memory = "@modelcontextprotocol/server-memory/dist/index.js";
const playwright = "@playwright/mcp/cli.js";
const chromium = findChromium();

const owned = new AsyncDisposableStack();
let bridge: ReturnType<typeof openTestBridge>;
let folder: DataFolder;
let hub: RunningHub;
let admin: BridgeAdmin;
let client: TestClient;
let page: string;

beforeAll(async () => {
  folder = owned.use(await createDataFolder());
  hub = owned.use(await startHub());
  admin = await openBridgeAdmin(hub);
  client = owned.use(await connectHttp(hub.url, hub.adminToken()));
  bridge = openTestBridge({ fenceMode: "auto" });
  owned.defer(bridge.close);
  const site = Bun.serve({
    port: 0,
    fetch: () =>
      new Response("<title>A local page</title>", { headers: { "content-type": "text/html" } }),
  });
  owned.defer(() => site.stop(true));
  page = `http://localhost:${site.port}/`;
});

afterAll(() => owned.disposeAsync());

/** A row that starts the program with Node. */
function toProgram(script: string, ...args: string[]) {
  const path = resolve(import.meta.dirname, "node_modules", script);
  return {
    transport: "stdio",
    command: findNode(),
    args: [path, ...args].map((value) => ({ value })),
  };
}

/** Starts `everything` as a server on a port, and waits until it listens. */
async function serveEverything(mode: "sse" | "streamableHttp"): Promise<string> {
  const port = await findFreePort();
  await serve(everything, [mode], { PORT: String(port) });
  return `http://127.0.0.1:${port}`;
}

/** Starts a server, and waits until it listens. */
async function serve(
  script: string,
  args: string[],
  env: Record<string, string>,
  ready = /on port/,
): Promise<void> {
  const child = spawnNode(script, args, folder.path, env);
  owned.defer(() => {
    child.kill();
  });
  const listening = Promise.withResolvers<void>();
  let output = "";
  // Read to the end: a server whose pipe is closed may end.
  const drain = async (stream: ReadableStream<Uint8Array>) => {
    for await (const chunk of stream) {
      output += Buffer.from(chunk).toString("utf8");
      if (ready.test(output)) listening.resolve();
    }
  };
  drain(child.stderr);
  drain(child.stdout);
  await listening.promise;
}

type Row = Record<string, unknown>;
type Params = Record<string, unknown>;

/** Name, row, a tool with params and result, and a call that the server refuses. */
type Trial = [string, () => Row | Promise<Row>, string, () => Params, unknown, [string, Params]];

const rows: Trial[] = [
  [
    "everything over stdio",
    () => toProgram(everything),
    "get-sum",
    () => ({ a: 20, b: 22 }),
    "The sum of 20 and 22 is 42.",
    ["get-sum", { a: "no number" }],
  ],
  [
    "everything over Streamable HTTP",
    async () => ({ url: `${await serveEverything("streamableHttp")}/mcp` }),
    "get-structured-content",
    () => ({ location: "New York" }),
    { temperature: 33, conditions: "Cloudy", humidity: 82 },
    ["get-structured-content", { location: "Nowhere" }],
  ],
  [
    "everything over HTTP+SSE",
    async () => ({ transport: "sse", url: `${await serveEverything("sse")}/sse` }),
    "echo",
    () => ({ message: "hello" }),
    "Echo: hello",
    ["echo", {}],
  ],
  [
    "filesystem over stdio",
    () => {
      writeFileSync(join(folder.path, "note.txt"), "a note");
      return toProgram(files, folder.path);
    },
    "read_text_file",
    () => ({ path: join(folder.path, "note.txt") }),
    expect.objectContaining({ content: "a note" }),
    ["read_text_file", { path: "/etc/passwd" }],
  ],
  [
    "memory over stdio",
    () => ({ ...toProgram(memory), env: `MEMORY_FILE_PATH=${join(folder.path, "memory.json")}` }),
    "create_entities",
    () => ({ entities: [{ name: "Ada", entityType: "person", observations: ["counts"] }] }),
    { entities: [{ name: "Ada", entityType: "person", observations: ["counts"] }] },
    ["add_observations", { observations: [{ entityName: "Bob", contents: ["absent"] }] }],
  ],
  ...(chromium === null
    ? []
    : ([
        [
          "playwright over stdio",
          () => {
            const flags = ["--headless", "--isolated", "--no-sandbox"];
            return toProgram(playwright, ...flags, "--executable-path", chromium);
          },
          "browser_navigate",
          () => ({ url: page }),
          expect.stringContaining("A local page"),
          ["browser_navigate", { url: "file:///etc/passwd" }],
        ],
      ] satisfies Trial[])),
  [
    "the hub itself",
    () => ({ url: `${hub.url}/mcp`, auth_mode: "bearer", token: hub.adminToken() }),
    "hub_list",
    () => ({}),
    expect.objectContaining({ total: expect.any(Number) }),
    ["hub_get", { tool_id: "conn:nothing/at_all" }],
  ],
];

describe.each(someOf(3, rows))("%s", (_, toRow, tool, toParams, expected, [
  refusedTool,
  refusedParams,
]) => {
  let row: Row;

  beforeAll(async () => {
    row = await toRow();
  });

  test("Its tools are discovered with schemas", async () => {
    const operations = await bridge.discover(row);
    const found = operations.find(({ sourceName }) => sourceName === tool);
    expect(found).toMatchObject({ inputSchema: { type: "object" } });
    expect(found?.description).not.toBe("");
  });

  test("A tool is called", async () => {
    const { result } = await bridge.callTool(row, tool, toParams());
    expect(result).toEqual(expected);
  });

  test("A call that it refuses fails with its words", async () => {
    const message = await bridge.callTool(row, refusedTool, refusedParams).then(
      ({ result }) => `it returned ${JSON.stringify(result)}`,
      (thrown: Error) => thrown.message,
    );
    expect(message).toStartWith("The tool failed: ");
  });

  test("Its health is good", async () => {
    expect(await bridge.health(row)).toEqual({ ok: true });
  });

  test("A tool that has changed is disabled until an admin approves it", async () => {
    const { id, change } = await addChanging(row);
    await admin.discover(id);
    await admin.approve(id);
    const key = tool.replaceAll("-", "_");
    change();
    const { changed } = await admin.discover(id);
    expect(changed).toContain(key);
    const { reviewed } = await admin.review(id);
    const before = reviewed.find((one) => one.key === key);
    expect(before?.definition.description).toEndWith(addedText.trim());
    expect(before?.approved?.description).not.toContain(addedText.trim());
    const refused = await client.execute(`conn:${id}/${key}`, toParams());
    expect(refused.value).toMatchObject({ code: "operation_disabled" });
    await admin.approve(id);
    expect((await admin.review(id)).waiting).toBe(0);
  });
});

/** A row of the hub with the same server behind a program or proxy that changes its tools. */
async function addChanging(row: Row): Promise<{ id: string; change(): void }> {
  const label = crypto.randomUUID();
  if (row.transport === "stdio") {
    const file = join(folder.path, label);
    const args = (row.args as { value: string }[]).map(({ value }) => value);
    const wrapper = join(import.meta.dirname, "support/change-tools-program.ts");
    const id = await admin.addProgram({ label }, wrapper, file, String(row.command), ...args);
    return { id, change: () => writeFileSync(file, "") };
  }
  let isChanged = false;
  const url = new URL(String(row.url));
  const proxy = owned.use(startToolsProxy(url.origin, () => isChanged));
  const values = { ...row, url: proxy.url + url.pathname } as Record<string, string>;
  const id = await admin.addRow({ connector: "mcp", label }, values);
  return {
    id,
    change() {
      isChanged = true;
    },
  };
}

test("A refused token is reported by the health check", async () => {
  const row = { url: `${hub.url}/mcp`, auth_mode: "bearer", token: "wrong" };
  expect(await bridge.health(row)).toMatchObject({
    ok: false,
    reason: expect.stringContaining("401"),
  });
});

test("Progress of a tool is passed on", async () => {
  const row = toProgram(everything);
  const params = { duration: 0.2, steps: 2 };
  const { received } = await bridge.callTool(row, "trigger-long-running-operation", params);
  expect(received).toContainEqual(["progress", 2, 2]);
});

describe("Content of a server, through the hub to an official client", () => {
  let toolIds: Record<string, string>;
  let token: string;

  async function manage(method: string, path: string, body?: unknown) {
    const response = await fetch(`${hub.url}/manager/api${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    });
    expect(response.ok).toBe(true);
    return Object(await response.json());
  }

  beforeAll(async () => {
    token = await hub.makeManageToken();
    const url = `${await serveEverything("streamableHttp")}/mcp`;
    const row = { connector: "mcp", label: "Everything", values: { url } };
    const { id } = await manage("POST", "/rows", row);
    const { stamp } = await manage("POST", `/rows/${id}/discover`, {});
    await manage("POST", `/rows/${id}/approve`, { stamp });
    toolIds = Object.fromEntries(
      ["get_tiny_image", "get_resource_reference", "get_resource_links"].map((key) => [
        key,
        `conn:${id}/${key}`,
      ]),
    );
  });

  const call = async (client: TestClient, key: string, params = {}) =>
    await client.execute(toolIds[key] ?? "", params);

  test("Images, resources and links arrive whole, and the record says what they are", async () => {
    await using client = await connectHttp(hub.url, hub.adminToken());
    const image = await call(client, "get_tiny_image");
    expect(image.value.content[1]).toMatchObject({ type: "image", bytes: 4033, block: 1 });
    expect(image.blocks).toMatchObject([{ type: "image", mimeType: "image/png" }]);
    const { data } = Object(image.blocks[0]);
    expect(Buffer.from(data, "base64").toString("latin1", 1, 4)).toBe("PNG");
    expect(image.structured).toBeUndefined();

    for (const [resourceType, content] of [
      ["Text", { text: expect.stringContaining("Resource 1") }],
      ["Blob", { blob: expect.any(String) }],
    ] as const) {
      const params = { resourceType, resourceId: 1 };
      const { blocks } = await call(client, "get_resource_reference", params);
      const resource = { uri: expect.stringContaining("demo://"), ...content };
      expect(blocks).toMatchObject([{ type: "resource", resource }]);
    }
    const { blocks } = await call(client, "get_resource_links", { count: 2 });
    expect(blocks).toMatchObject([{ type: "resource_link" }, { type: "resource_link" }]);

    const { runs } = await manage("GET", "/runs?limit=4");
    const stored = await Promise.all(
      runs.map(({ id }: { id: string }) => manage("GET", `/runs/${id}`)),
    );
    expect(JSON.stringify(stored)).not.toContain(data.slice(0, 100));
    expect(JSON.stringify(stored)).toContain("4033");
  });

  test("A client of an old protocol receives a sentence for what it does not know", async () => {
    const call = async (key: string, args = {}) => {
      const response = await fetch(`${hub.url}/mcp`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${hub.adminToken()}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-03-26",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "hub_execute", arguments: { tool_id: toolIds[key], params: args } },
        }),
      });
      return readAnswer(Object(await response.json()).result);
    };
    expect((await call("get_tiny_image")).blocks).toHaveLength(1);
    const { value, blocks } = await call("get_resource_links", { count: 1 });
    expect(blocks).toEqual([]);
    expect(value.content[1]).toMatchObject({
      type: "resource_link",
      uri: expect.stringContaining("demo://"),
      left_out: expect.stringContaining("version of MCP"),
    });
  });
});

test("A server of the newest protocol alone is discovered and called, and tells of changed tools", async () => {
  await using server = serveNewestProtocol();
  const changed = Promise.withResolvers<string>();
  const modern = openTestBridge({ onChanged: changed.resolve });
  try {
    const row = { url: server.url };
    const names = (await modern.discover(row)).map(({ sourceName }) => sourceName);
    expect(names).toEqual(["greet"]);
    expect((await modern.callTool(row, "greet")).result).toBe("hello");
    expect(server.versions).toContain("2026-07-28");
    while (server.countListeners() === 0) await new Promise(setImmediate);
    server.sayToolsChanged();
    expect(await changed.promise).not.toBe("");
  } finally {
    await modern.close();
  }
});

test("The official example with OAuth is connected, and its tools are called with the token", async () => {
  const [port, authPort] = [await findFreePort(), await findFreePort()];
  const env = { MCP_PORT: String(port), MCP_AUTH_PORT: String(authPort) };
  await serve(oauthExample, ["--oauth", "--oauth-strict"], env, /MCP .* on port/);
  const address = new URL(`http://localhost:${port}/mcp`);
  const savedHosts = [address.host, `localhost:${authPort}`];
  const policy = { savedHosts, allow: [] };
  const target = {
    address,
    transport: "http",
    client: null,
    scope: null,
    policy,
    given: null,
    rowId: "row-1",
  } as const;
  const { url, attempt } = await beginConnect({}, target, "http://localhost:7420");
  // The example consents by itself.
  const { headers } = await fetch(url, { redirect: "manual" });
  const answer = new URL(headers.get("location") ?? "").searchParams;
  const { secrets } = await finishConnect({ policy }, attempt, answer, Date.now);
  expect(attempt.metadata.issuer).toBe(`http://localhost:${authPort}/`);

  const refuse = () => Promise.reject(new Error("no other token"));
  const authorizer = { findToken: refuse, renewToken: refuse, findPage: refuse, refuse };
  const findToken = async () => secrets.access_token;
  const connected = openTestBridge({ authorizer: { ...authorizer, findToken } });
  owned.defer(connected.close);
  const row = { url: address.href, auth_mode: "oauth" };
  expect(await connected.discover(row)).toContainEqual(
    expect.objectContaining({ sourceName: "greet" }),
  );
  const { result } = await connected.callTool(row, "greet", { name: "Ada" });
  expect(JSON.stringify(result)).toContain("Hello, Ada!");
});
