/**
 * Protects: `hub_read` runs what is marked as reading and nothing else, through every door. What it refuses has asked no outside
 * system, and it says nothing of an operation that its caller does not see. `.ci/run` tries every operation over a session, and
 * a choice of each row at the other doors; `.ci/nightly` tries all at each.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { isWholeAmount, someOf } from "@hub/server/lib/testing/amount.ts";
import { readAudit } from "./support/audit.ts";
import { connectHttp as connectSession, connectStdio } from "./support/connect-sdk-1.ts";
import { connectHttp as connectStateless } from "./support/connect-sdk-2.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
const main = join(import.meta.dirname, "support/plugins-hub.ts");
const secret = "secret-of-the-stand-in-9fK2xQ7vLm4R";
let hub: RunningHub;
let manageToken: string;
let client: TestClient;
let rows: Record<string, string> = {};
let outsideUrl: string;

/** The outside systems of all rows: an API with a document, a code host, a log store, an MCP server. */
const outside = {
  asked: 0,
  isReading: true,
  document: {
    openapi: "3.1.0",
    info: { title: "Things", version: "1" },
    paths: {
      "/things": {
        get: { operationId: "listThings" },
        post: { operationId: "addThing" },
      },
      // It acts, although it is a GET.
      "/deploy": { get: { operationId: "deploy" } },
    },
  },
  tools() {
    const inputSchema = { type: "object" };
    return [
      { name: "look", inputSchema, annotations: { readOnlyHint: this.isReading } },
      { name: "picture", inputSchema, annotations: { readOnlyHint: true } },
      { name: "write", inputSchema },
    ];
  },
  answerMcp({ id, method, params }: { id?: number; method: string; params: { name: string } }) {
    if (id === undefined) return new Response(null, { status: 202 });
    const reply = (result: object) => Response.json({ jsonrpc: "2.0", id, result });
    if (method === "initialize") {
      const serverInfo = { name: "stand-in", version: "1" };
      return reply({ protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo });
    }
    if (method === "tools/list") return reply({ tools: this.tools() });
    if (method !== "tools/call") {
      return Response.json({ jsonrpc: "2.0", id, error: { code: -32601, message: "unknown" } });
    }
    this.asked += 1;
    const image = { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" };
    const text = { type: "text", text: `seen with ${secret}` };
    return reply({ content: params.name === "picture" ? [text, image] : [text] });
  },
  async fetch(req: Request) {
    const { pathname } = new URL(req.url);
    if (pathname === "/openapi.json") return Response.json(outside.document);
    if (pathname === "/mcp") {
      if (req.method !== "POST") return new Response(null, { status: 405 });
      return outside.answerMcp(Object(await req.json()));
    }
    outside.asked += 1;
    const items = Array.from({ length: 3 }, (_, number) => ({ number, token: secret }));
    return Response.json({ pathname, items });
  },
};

beforeAll(async () => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: outside.fetch });
  owned.defer(() => server.stop(true));
  hub = owned.use(await startHub({ main, isHere: true }));
  manageToken = await hub.makeManageToken();
  client = owned.use(await connectSession(hub.url, hub.adminToken()));
  const url = `http://127.0.0.1:${server.port}`;
  outsideUrl = url;
  const bearer = { auth_mode: "bearer", token: secret };
  const slack = { bot_token: "xoxb-1-stand-in", app_token: "xapp-1-stand-in" };
  rows = {
    http: await addRow("http", { base_url: url, ...bearer }),
    openapi: await addRow("openapi", {
      document_url: `${url}/openapi.json`,
      base_url: url,
      ...bearer,
    }),
    mcp: await addRow("mcp", { url: `${url}/mcp`, ...bearer }),
    codehost: await addRow("codehost", { base_url: `${url}/api/v3`, token: secret }),
    logs: await addRow("logs", { base_url: url, auth_mode: "token", token: secret }),
    slack: await addRow("slack", slack),
    telegram: await addRow("telegram", { token: "1:stand-in" }),
  };
  for (const connector of ["openapi", "mcp"]) await approveAll(connector);
});
afterAll(() => owned.disposeAsync());

async function manage<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${hub.url}/manager/api${path}`, {
    method,
    headers: { authorization: `Bearer ${manageToken}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${response.status} ${JSON.stringify(answer)}`);
  return answer as T;
}

async function addRow(
  connector: string,
  values: Record<string, string>,
  tags: string[] = [],
): Promise<string> {
  const row = { connector, label: `Row of ${connector}`, values, tags };
  return (await manage<{ id: string }>("POST", "/rows", row)).id;
}

async function approveAll(connector: string): Promise<void> {
  const path = `/rows/${rows[connector]}`;
  const { stamp } = await manage<{ stamp: string }>("POST", `${path}/discover`, {});
  await manage("POST", `${path}/approve`, { stamp });
}

type Operation = { key: string; tool_id: string; reads: boolean; may_mark: boolean };

/** Every operation that clients are offered, of every row. */
async function listOperations(): Promise<Operation[]> {
  const { rows: all } = await manage<{ rows: { id: string }[] }>("GET", "/rows?limit=100");
  const pages = all.map(({ id }) =>
    manage<{ operations: Operation[] }>("GET", `/rows/${id}/operations?callable=true&limit=100`),
  );
  return (await Promise.all(pages)).flatMap(({ operations }) => operations);
}

const mark = (row: string, operations: string[], reads = true) =>
  manage("POST", `/rows/${rows[row]}/reads`, { operations, reads });

const toolId = (row: string, operation: string) => `conn:${rows[row]}/${operation}`;
const read = (row: string, operation: string, more = {}) =>
  client.call("hub_read", { tool_id: toolId(row, operation), ...more });

test.each([
  ["a session", ["create_pr"], () => connectSession(hub.url, hub.adminToken())],
  ["requests without a session", ["create_pr"], () => connectStateless(hub.url, hub.adminToken())],
  ["stdio", ["create_pr"], () => connectStdio({ main, dataDir: hub.dataDir })],
])("Over %s, no operation without the mark runs, and each is recorded as denied", async (where, others, connect) => {
  await using door = await connect();
  const { value } = await door.call("hub_list");
  const listed = new Set(value.tools.map((tool: { tool_id: string }) => tool.tool_id));
  const refused = (await listOperations()).filter((one) => !one.reads && listed.has(one.tool_id));
  const keys = new Set(refused.map(({ key }) => key));
  const some = ["get", "post", "list_things", "deploy", "look", "reply", "workflow_run_now"];
  for (const key of [...some, ...others]) expect(keys).toContain(key);
  const tried = isWholeAmount || where === "a session" ? refused : chooseOfEachRow(refused);
  const [asked, recorded] = [outside.asked, readAudit(hub.dataDir).length];
  for (const { tool_id } of tried) {
    const { isError, value } = await door.call("hub_read", { tool_id, params: {} });
    expect([tool_id, isError, value.code]).toEqual([tool_id, true, "destructive_operation"]);
    expect(value.error).toContain("Call it with hub_execute");
  }
  expect(outside.asked).toBe(asked);
  const records = readAudit(hub.dataDir).slice(recorded);
  expect(records.map(({ operation_key }) => operation_key)).toEqual(tried.map(({ key }) => key));
  for (const { status, error_code } of records) {
    expect([status, error_code]).toEqual(["denied", "destructive_operation"]);
  }
});

/** Three operations of each row, evenly spread. */
function chooseOfEachRow(operations: readonly Operation[]): Operation[] {
  const toRow = ({ tool_id }: Operation) => tool_id.slice(0, tool_id.indexOf("/"));
  const chosen = [...Map.groupBy(operations, toRow).values()].flatMap((one) => someOf(3, one));
  expect(chosen.length).toBeGreaterThan(Object.keys(rows).length);
  return chosen;
}

test("An operation that the caller does not see is unknown to hub_read, marked or not", async () => {
  const user = await hub.addUser("hidden@example.com", { tags: [] });
  const ask = async (id: string) => {
    const call = toToolCall("hub_read", { tool_id: id, params: {} });
    const { result } = Object(await (await postRpc(hub.url, user.token, call)).json());
    return JSON.stringify(result).replaceAll(id, "ID");
  };
  const hidden = await addRow("codehost", { token: secret }, ["other"]);
  const absent = await ask(`conn:${crypto.randomUUID()}/get_me`);
  expect(absent).toContain("not_found");
  for (const operation of ["get_me", "create_pr", "none"]) {
    expect(await ask(`conn:${hidden}/${operation}`)).toBe(absent);
  }
});

test("A marked operation answers as hub_execute does, with fields, tokens, content and errors", async () => {
  await mark("http", ["get"]);
  await mark("mcp", ["picture"]);
  const hide = (text: string) => text.replaceAll(/hub_enc_[\w-]+/g, "hub_enc_");
  const cases: [row: string, operation: string, more: object][] = [
    ["http", "get", { params: { path: "/x" } }],
    ["http", "get", { params: { path: "/x" }, fields: ["status", "body.items.*.token", "none"] }],
    ["http", "get", { params: {} }],
    ["http", "get", { params: { path: "/x", headers: { authorization: "y" } } }],
    ["codehost", "get_me", {}],
    ["mcp", "picture", {}],
  ];
  for (const [row, operation, more] of cases) {
    const answer = await read(row, operation, more);
    const other = await client.call("hub_execute", { tool_id: toolId(row, operation), ...more });
    expect(hide(JSON.stringify(answer))).toBe(hide(JSON.stringify(other)));
  }
  const { value } = await read("http", "get", { params: { path: "/x" }, fields: ["body.items.0"] });
  const token = value.body.items[0].token;
  expect(token).toStartWith("hub_enc_");
  // The token is opened for the row from which it came.
  const query = { params: { path: "/x", query: { q: token } }, fields: ["status"] };
  expect((await read("http", "get", query)).value).toEqual({ status: 200 });
  expect((await read("mcp", "picture")).blocks).toMatchObject([{ type: "image" }]);
});

test("A mark of an http row ends when the row gets another address, and POST has none", async () => {
  await mark("http", ["get"]);
  expect((await read("http", "get", { params: { path: "/x" } })).isError).toBeFalse();
  await expect(mark("http", ["post"])).rejects.toThrow("409");
  await hub.cli("row", "set", rows.http ?? "", "--set", "base_url=http://127.0.0.1:1/other");
  const answer = await read("http", "get", { params: { path: "/x" } });
  expect(answer.value.code).toBe("destructive_operation");
});

test("A server that changes its hint and a GET that acts are read only after an admin's tick", async () => {
  const isRead = async (row: string, operation: string) =>
    !(await read(row, operation, { params: {} })).isError;
  expect([await isRead("openapi", "deploy"), await isRead("mcp", "look")]).toEqual([false, false]);
  await mark("mcp", ["look"]);
  await mark("openapi", ["list_things"]);
  expect([await isRead("mcp", "look"), await isRead("openapi", "list_things")]).toEqual([
    true,
    true,
  ]);
  for (const isReading of [false, true]) {
    outside.isReading = isReading;
    await approveAll("mcp");
    expect(await isRead("mcp", "look")).toBeFalse();
  }
  await mark("mcp", ["look"]);
  expect(await isRead("mcp", "look")).toBeTrue();
  expect(await isRead("openapi", "deploy")).toBeFalse();
});

test("Another address of a row ends the marks of what it brought, also when the old one comes back", async () => {
  const isRead = async () => !(await read("openapi", "list_things", { params: {} })).isError;
  await mark("openapi", ["list_things"]);
  expect(await isRead()).toBeTrue();
  const id = rows.openapi ?? "";
  for (const address of ["http://127.0.0.1:1", outsideUrl]) {
    await hub.cli("row", "set", id, "--set", `base_url=${address}`);
    const { value } = await read("openapi", "list_things", { params: {} });
    expect(value.code).toBe("destructive_operation");
  }
  await mark("openapi", ["list_things"]);
  expect(await isRead()).toBeTrue();
});
