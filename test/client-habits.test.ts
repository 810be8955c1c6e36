/** What clients and models of the field send, and what outside systems answer them, at the doors of one hub. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { createBrowser } from "./support/browser.ts";
import {
  createTestOAuthClient,
  type OAuthFixture,
  openOAuthFixture,
  signInAndDecide,
  type UserLogin,
  verifier,
} from "./support/oauth-fixture.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";

setDefaultTimeout(60_000);

const owned = new AsyncDisposableStack();
let fixture: OAuthFixture;
let ada: UserLogin;
let manage: string;
let http: string;
let api: string;

/** The body of each request to the outside system. */
const bodies: unknown[] = [];

const half = String.fromCharCode(0xd83d);

const document = {
  openapi: "3.1.0",
  info: { title: "Lists", version: "1" },
  paths: {
    "/put": {
      post: {
        operationId: "put",
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                properties: {
                  list: { type: "array", items: { type: "integer" } },
                  note: { type: "string" },
                  filter: {
                    type: "object",
                    properties: { tags: { type: "array", items: { type: "string" } } },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};

beforeAll(async () => {
  const outside = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(req) {
      const { pathname } = new URL(req.url);
      if (pathname === "/openapi.json") return Response.json(document);
      if (pathname === "/half")
        return new Response(`{"t":"\\ud83d x","\\udfff":["\\ude00"]}`, {
          headers: { "content-type": "application/json" },
        });
      if (pathname === "/fault")
        return new Response(`{"message":"\\ud83d x"}`, {
          status: 400,
          headers: { "content-type": "application/json" },
        });
      const body = await req.text();
      bodies.push(body === "" ? null : JSON.parse(body));
      return Response.json({ path: pathname });
    },
  });
  owned.defer(() => outside.stop(true));
  fixture = owned.use(await openOAuthFixture({ isHere: true }));
  const { hub } = fixture;
  manage = await hub.makeManageToken();
  ada = await fixture.addUserWithPassword("ada@example.com");
  const base = `http://127.0.0.1:${outside.port}`;
  http = await addRow("http", { base_url: base });
  api = await addRow("openapi", { document_url: `${base}/openapi.json`, base_url: base });
  const { stamp } = await post<{ stamp: string }>(`/manager/api/rows/${api}/discover`, {});
  await post(`/manager/api/rows/${api}/approve`, { stamp });
});

afterAll(() => owned.disposeAsync());

async function addRow(connector: string, values: Record<string, string>): Promise<string> {
  const row = { connector, label: `A row of ${connector}`, values };
  return (await post<{ id: string }>("/manager/api/rows", row)).id;
}

async function send(path: string, body: unknown): Promise<Response> {
  return await fetch(`${fixture.hub.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${manage}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

async function post<T>(path: string, body: unknown): Promise<T> {
  const response = await send(path, body);
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  return JSON.parse(text) as T;
}

/** Calls a tool; returns the text of the whole answer, and the value that a model reads. */
async function call(name: string, args: Record<string, unknown>) {
  const answer = await postRpc(fixture.hub.url, manage, toToolCall(name, args));
  const text = await answer.text();
  const { result } = JSON.parse(text);
  return { text, isError: result.isError === true, value: JSON.parse(result.content[0].text) };
}

const execute = (row: string, operation: string, params: unknown) =>
  call("hub_execute", { tool_id: `conn:${row}/${operation}`, params });

describe("an app that registers its own scheme", () => {
  test.each([
    ["cursor://anysphere.cursor-mcp/oauth/callback", "cursor"],
    ["vscode://x.y/cb", "vscode"],
  ])("%s gets its code after a consent that names the scheme", async (uri, scheme) => {
    const registered = await fetch(`${fixture.base}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({
        client_name: "An editor",
        application_type: "web",
        token_endpoint_auth_method: "none",
        redirect_uris: [
          uri,
          "https://app.example/cb",
          "http://localhost:9/cb",
          "https://localhost:9/cb",
        ],
      }),
    });
    expect(registered.status).toBe(201);
    const { client_id: id } = Object(await registered.json());
    const client = createTestOAuthClient(fixture.base);
    const browser = createBrowser({ stopAt: (url) => url.protocol === `${scheme}:` });
    const resource = `${fixture.base}/mcp/`;
    const url = client.toAuthorizeUrl(id, { redirect_uri: uri, resource });
    const login = await browser.open(url);
    const consent = await browser.submit(login, { email: ada.email, password: ada.password });
    expect(consent.text).toContain(`the one that opens ${scheme}: links`);
    const page = await signInAndDecide(browser, consent.url, ada);
    const path = /class="button wide" href="([^"]+)"/.exec(page.text)?.[1] ?? "";
    const back = await browser.open(`${fixture.base}${path}`);
    expect(back.url).toStartWith(`${uri}?code=`);
    const code = new URL(back.url).searchParams.get("code") ?? "";
    const fields = { redirect_uri: uri, code_verifier: verifier, resource };
    const tokens = Object(await (await client.redeem(id, code, fields)).json());
    expect(
      (await postRpc(`${fixture.base}`, tokens.access_token, toToolCall("hub_info", {}))).status,
    ).toBe(200);
  });

  test.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "ms-word:x",
    "http://app.example/cb",
  ])("%s is refused, also beside another address", async (uri) => {
    const answer = await fetch(`${fixture.base}/oauth/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ redirect_uris: ["cursor://x.y/cb", uri] }),
    });
    expect([answer.status, Object(await answer.json()).error]).toEqual([
      400,
      "invalid_redirect_uri",
    ]);
  });
});

test("An address with a slash at its end is that of the endpoint, for every method and for discovery", async () => {
  const message = JSON.stringify(toToolCall("hub_info", {}));
  const ask = async (path: string, method: string, token: string | null = manage) => {
    const response = await fetch(`${fixture.hub.url}${path}`, {
      method,
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(token !== null && { authorization: `Bearer ${token}` }),
      },
      ...(method === "POST" && { body: message }),
    });
    const challenge = response.headers.get("www-authenticate");
    return { status: response.status, challenge, text: await response.text() };
  };
  for (const method of ["POST", "GET", "DELETE", "PUT", "OPTIONS"]) {
    expect([method, await ask("/mcp/", method)]).toEqual([method, await ask("/mcp", method)]);
  }
  expect(await ask("/mcp/", "POST", null)).toEqual(await ask("/mcp", "POST", null));
  expect((await ask("/mcp/", "POST")).status).toBe(200);
  for (const path of [
    "oauth-protected-resource",
    "oauth-protected-resource/mcp",
    "oauth-authorization-server",
  ]) {
    const plain = await ask(`/.well-known/${path}`, "GET", null);
    expect(plain.status).toBe(200);
    expect(await ask(`/.well-known/${path}/`, "GET", null)).toEqual(plain);
  }
});

describe("params as a model writes them", () => {
  test("JSON text of an object is the object", async () => {
    const { value } = await execute(http, "get", '{"path":"/x"}');
    expect(value).toMatchObject({ status: 200, body: { path: "/x" } });
    const refused = await execute(http, "get", "path=/x");
    expect(refused.value.error).toContain(
      '"params" must be an object, not a text or a list, such as {',
    );
    expect(refused.value.example).toMatchObject({ params: {} });
  });

  test("null and an empty text are no params", async () => {
    for (const params of [null, ""]) {
      bodies.length = 0;
      expect((await execute(api, "put", params)).isError).toBe(false);
      expect(bodies).toHaveLength(1);
    }
  });

  test.each<[string, unknown, unknown]>([
    ["a list as text", { list: "[1,2]" }, { list: [1, 2] }],
    ["all of it as text", '{"list":"[1,\\"2\\"]"}', { list: [1, 2] }],
    ["a member as text", { filter: '{"tags":"[\\"a\\"]"}' }, { filter: { tags: ["a"] } }],
    ["a number for a text", { note: 7 }, { note: "7" }],
    ["a text that looks like a list", { note: "[1,2]" }, { note: "[1,2]" }],
  ])("An operation of a document gets %s in its own types", async (_, params, body) => {
    bodies.length = 0;
    const { isError, text } = await execute(api, "put", params);
    expect([isError && text, bodies]).toEqual([false, [body]]);
    // A test by an admin, over the API, is the same call.
    bodies.length = 0;
    await post(`/manager/api/rows/${api}/operations/put/test`, { params });
    expect(bodies).toEqual([body]);
  });

  test("A text for a list is refused with the form", async () => {
    const { value } = await execute(api, "put", { list: "1, 2" });
    expect(value).toMatchObject({
      code: "invalid_params",
      issues: [{ path: "list", message: "must be array, such as [1]" }],
    });
  });

  test("The command line takes a list as text", async () => {
    bodies.length = 0;
    await fixture.hub.cli("row", "test", "A row of openapi", "put", "--param", "list=[1,2]");
    expect(bodies).toEqual([{ list: [1, 2] }]);
  });
});

describe("half of a surrogate pair", () => {
  const halfEscape = /\\ud[89a-f]/i;

  test("An answer over MCP has U+FFFD in its place, in text and structured content", async () => {
    const { text, value } = await execute(http, "get", { path: "/half" });
    expect(value.body).toEqual({ t: "\ufffd x", "\ufffd": ["\ufffd"] });
    expect([halfEscape.test(text), text.isWellFormed()]).toEqual([false, true]);
  });

  test("A failure, an echoed argument and a picked part have it too", async () => {
    const answers = [
      await execute(http, "get", { path: "/fault" }),
      await call("hub_search", { query: `a ${half}` }),
      await call("hub_execute", { tool_id: half }),
      await call("hub_execute", {
        tool_id: `conn:${http}/get`,
        params: { path: "/x", [half]: half },
      }),
      await call("hub_execute", {
        tool_id: `conn:${http}/get`,
        params: { path: "/half" },
        fields: [`body.${half}`],
      }),
    ];
    expect(answers.map(({ text }) => halfEscape.test(text))).toEqual(answers.map(() => false));
  });

  test("Answers of the API, its failures and the command line have it", async () => {
    const test = `/manager/api/rows/${http}/operations/get/test`;
    const good = await (await send(test, { params: { path: "/half" } })).text();
    expect(JSON.parse(good).result.body.t).toBe("\ufffd x");
    const bad = await (await send(test, { params: { path: "/x", [half]: 1 } })).text();
    const row = await (
      await send("/manager/api/rows", { connector: `x${half}`, label: "L" })
    ).text();
    const shown = await fixture.hub.cli(
      "row",
      "test",
      http,
      "get",
      "--param",
      "path=/half",
      "--json",
    );
    for (const text of [good, bad, row, shown.stdout]) {
      expect([halfEscape.test(text), text]).toEqual([false, text]);
    }
  });
});

describe("an operation that is named by less than its id", () => {
  const named: [string, (row: string) => Record<string, string>][] = [
    ["the beginning of its row", (row) => ({ tool_id: `conn:${row.slice(0, 8)}/get` })],
    ["label and name", () => ({ row: "a row of HTTP", operation: "get" })],
  ];

  test.each(named)("%s is called, and recorded with the whole id", async (_, toName) => {
    const called = await call("hub_execute", { ...toName(http), params: { path: "/short" } });
    expect([called.isError, called.text]).toEqual([false, expect.stringContaining("/short")]);
    const tool = await call("hub_get", toName(http));
    expect(tool.value.tool_id).toBe(`conn:${http}/get`);
    const path = `/manager/api/rows/${http}/runs?limit=1`;
    const headers = { authorization: `Bearer ${manage}` };
    const runs = await (await fetch(`${fixture.hub.url}${path}`, { headers })).json();
    expect(Object(runs).runs[0]).toMatchObject({ connector_id: http, operation_key: "get" });
  });

  test("A failure has the whole id and, for invalid params, the schema", async () => {
    const { value } = await call("hub_execute", {
      tool_id: `${api.slice(0, 8)}/put`,
      params: { list: 7 },
    });
    expect(value).toMatchObject({
      code: "invalid_params",
      tool_id: `conn:${api}/put`,
      input_schema: { properties: { note: { type: "string" } } },
    });
    const tested = await send(`/manager/api/rows/${api}/operations/put/test`, {
      params: { list: 7 },
    });
    expect(await tested.json()).toMatchObject({
      code: "invalid_params",
      input_schema: { type: "object" },
    });
  });

  test("Both names at once, and half of one, are refused with the right form", async () => {
    const both = await call("hub_execute", { tool_id: `conn:${http}/get`, row: "x" });
    expect(both.value.error).toContain('Send "tool_id", or "row" and "operation", not both.');
    const half = await call("hub_execute", { operation: "get" });
    expect(half.value.issues).toContainEqual({
      path: "row",
      message: '"row" is required with "operation".',
    });
  });
});

test("A session begins with the labels of what is connected, and hub_list lists the rows alone", async () => {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const message = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  const { result } = Object(await (await postRpc(fixture.hub.url, manage, message)).json());
  expect(result.instructions).toContain('["A row of http","A row of openapi"]');
  const { value } = await call("hub_list", { rows: true, connector: "http" });
  const row = { label: "A row of http", operations: expect.any(Number), description: "" };
  expect(value).toMatchObject({ rows: [row], total: 1 });
});

test("A refused request of the API has the words of the hub, and none of its schema library", async () => {
  const answers = [
    await send("/manager/api/rows", { connector: 1, label: "L" }),
    await send("/manager/api/rows", []),
    await send(`/manager/api/rows/${http}/operations/get/test`, { params: [1], retry_of: "x" }),
    await send("/admin/api/users", { email: "x", role: "y" }),
    await send("/admin/api/users", { email: "", tags: "x", more: 1 }),
  ];
  for (const answer of answers) {
    const text = await answer.text();
    expect([answer.status, text]).toEqual([400, text]);
    expect(text).not.toMatch(
      /Invalid input|Invalid option|expected \w+|received \w+|Too (?:small|big)|Unrecognized/,
    );
  }
});
