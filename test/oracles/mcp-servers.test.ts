/** The connector `mcp` discovers and calls the tools of servers that others wrote, over each transport. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openTestBridge } from "../../packages/server/src/bridges/mcp/testing/open-test-bridge.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { findFreePort } from "../support/free-port.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { serveNewestProtocol } from "./support/newest-protocol.ts";
import { findNode, spawnNode } from "./support/run-node.ts";

setDefaultTimeout(120_000);

const everything = "@modelcontextprotocol/server-everything/dist/index.js";
const files = "@modelcontextprotocol/server-filesystem/dist/index.js";
const memory = "@modelcontextprotocol/server-memory/dist/index.js";

const owned = new AsyncDisposableStack();
let bridge: ReturnType<typeof openTestBridge>;
let folder: DataFolder;
let hub: RunningHub;

beforeAll(async () => {
  folder = owned.use(await createDataFolder());
  hub = owned.use(await startHub());
  bridge = openTestBridge();
  owned.defer(bridge.close);
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
  const child = spawnNode(everything, [mode], folder.path, { PORT: String(port) });
  owned.defer(() => {
    child.kill();
  });
  const listening = Promise.withResolvers<void>();
  let output = "";
  // Read to the end: a server whose pipe is closed may end.
  const drain = async () => {
    for await (const chunk of child.stderr) {
      output += Buffer.from(chunk).toString("utf8");
      if (/on port/.test(output)) listening.resolve();
    }
  };
  drain();
  await listening.promise;
  return `http://127.0.0.1:${port}`;
}

type Row = Record<string, unknown>;
type Params = Record<string, unknown>;

/** Name, row, a tool with params and result, and a call that the server refuses. */
const rows: [string, () => Row | Promise<Row>, string, () => Params, unknown, [string, Params]][] =
  [
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
    [
      "the hub itself",
      () => ({ url: `${hub.url}/mcp`, auth_mode: "bearer", token: hub.adminToken() }),
      "hub_list",
      () => ({}),
      expect.objectContaining({ total: expect.any(Number) }),
      ["hub_get", { tool_id: "conn:nothing/at_all" }],
    ],
  ];

describe.each(rows)("%s", (_, toRow, tool, toParams, expected, [refusedTool, refusedParams]) => {
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
});

test("A refused token is reported by the health check", async () => {
  const row = { url: `${hub.url}/mcp`, auth_mode: "bearer", token: "wrong" };
  expect(await bridge.health(row)).toMatchObject({
    ok: false,
    reason: expect.stringContaining("401"),
  });
});

test("Images are left out with a sentence, and progress is passed on", async () => {
  const row = toProgram(everything);
  const { result } = await bridge.callTool(row, "get-tiny-image");
  expect(result).toMatchObject({
    content: [{ type: "text" }, { type: "image", left_out: expect.any(String) }, { type: "text" }],
  });
  const params = { duration: 0.2, steps: 2 };
  const { received } = await bridge.callTool(row, "trigger-long-running-operation", params);
  expect(received).toContainEqual(["progress", 2, 2]);
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
