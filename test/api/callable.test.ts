/**
 * Protects: what a page shows as callable is what a client of the same user can call, and a call from the page is
 * refused, limited, masked and answered as `hub_execute` does it. Hidden rows are in none of it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { valuesMax } from "@hub/server/lib/json/check-nesting.ts";
import { waitFor } from "../support/wait-for.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

type TestUser = Awaited<ReturnType<ApiHub["addUser"]>>;

let hub: ApiHub;
let ada: TestUser;
let admin: TestUser;
let lone: TestUser;
let row: string;
let hidden: string;
let waiting: string;
let waitingKey: string;

beforeAll(async () => {
  hub = await openApiHub();
  ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  lone = await hub.addUser("lone@example.com");
  admin = await hub.addUser("root@example.com", { admin: true });
  hidden = (await hub.addRow("Hidden harbour", ["blue"])).id;
  await hub.admin.rows.set(hidden, { tests: "tag" });
  waiting = await addDescribed();
});
afterAll(() => hub[Symbol.asyncDispose]());

let rows = 0;
beforeEach(async () => {
  rows += 1;
  row = (await hub.addRow(`Harbour ${rows}`, ["red"])).id;
  await hub.admin.rows.set(row, { tests: "tag" });
});

/** A row whose operations an outside system describes, none of them reviewed. */
async function addDescribed(): Promise<string> {
  const values = { base_url: "https://api.example.com" };
  const added = { connector: "openapi", label: "Described", tags: ["red"], tests: "tag", values };
  const { id } = (await hub.request("POST", "/manager/api/rows", { ...admin, body: added })).body;
  const document = JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Things", version: "1" },
    servers: [{ url: "https://api.example.com" }],
    paths: { "/things": { get: { operationId: "listThings", responses: {} } } },
  });
  const discover = { ...admin, body: { document } };
  const { status } = await hub.request("POST", `/manager/api/rows/${id}/discover`, discover);
  expect(status).toBe(200);
  const found = await hub.request("GET", `/manager/api/rows/${id}/operations`, admin);
  waitingKey = found.body.operations[0].key;
  return id;
}

const request = (method: string, path: string, body?: unknown, who = ada) =>
  hub.request(method, `/manager/api/operations${path}`, { ...who, body });
const callOver = (who: TestUser, of: string, key: string, body: object = {}) =>
  request("POST", `/${of}/${key}/call`, body, who);
const list = async (query = "", who = ada) => (await request("GET", query, undefined, who)).body;
const listIds = async (query = "", who = ada) =>
  (await list(query, who)).operations.map(({ tool_id }: { tool_id: string }) => tool_id);

/** The result of a `tools/call`, as a client of the user gets it. */
async function useTool({ token }: TestUser, name: string, args: object) {
  const response = await fetch(`${hub.url}/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
  return Object(await response.json()).result;
}

describe("A call is refused as a client's call is", () => {
  type Refusal = {
    title: string;
    /** Prepares the refusal, and returns how to take it back. */
    prepare?: () => Promise<(() => Promise<unknown>) | undefined>;
    of?: () => string;
    key?: string | (() => string);
    body?: object;
    code: string;
  };
  const limitRow = async () => {
    await hub.admin.settings.set("HUB_ROW_CALLS_PER_MINUTE", "1");
    await useTool(ada, "hub_execute", { tool_id: `conn:${row}/greet`, params: { name: "A" } });
    return () => hub.admin.settings.reset("HUB_ROW_CALLS_PER_MINUTE");
  };
  const limitUser = async () => {
    await hub.admin.settings.set("HUB_USER_CALLS_PER_MINUTE", "1");
    for (const who of [ada, admin]) await useTool(who, "hub_info", {});
    return () => hub.admin.settings.reset("HUB_USER_CALLS_PER_MINUTE");
  };
  const refusals: Refusal[] = [
    { title: "a row that does not exist", of: () => crypto.randomUUID(), code: "not_found" },
    { title: "an unknown operation", key: "absent", code: "not_found" },
    { title: "an operation behind a widget", key: "places", code: "not_found" },
    { title: "a maintenance operation", key: "prune", code: "not_found" },
    {
      title: "a disabled row",
      async prepare() {
        await hub.admin.rows.disable(row);
        return undefined;
      },
      code: "connector_disabled",
    },
    {
      title: "a disabled connector",
      async prepare() {
        await hub.admin.types.disable("fixture");
        return () => hub.admin.types.enable("fixture");
      },
      code: "connector_disabled",
    },
    {
      title: "a disabled operation",
      async prepare() {
        await hub.admin.operations.disable(row, "greet");
        return undefined;
      },
      code: "operation_disabled",
    },
    {
      title: "an operation that waits for a review",
      of: () => waiting,
      key: () => waitingKey,
      code: "operation_disabled",
    },
    {
      title: "a row that needs setup",
      async prepare() {
        const label = "Unfinished";
        row = (await hub.admin.rows.add({ connector: "fixture", label, tags: ["red"] })).id;
        await hub.admin.rows.set(row, { tests: "tag" });
        return undefined;
      },
      code: "needs_setup",
    },
    { title: "a missing param", body: {}, code: "invalid_params" },
    {
      title: "an unknown param",
      body: { params: { name: "Ada", nme: "x" } },
      code: "invalid_params",
    },
    {
      title: "a value token that does not open",
      body: { params: { name: `hub_enc_${"A".repeat(60)}` } },
      code: "token_invalid",
    },
    { title: "the limit of the row", prepare: limitRow, code: "rate_limited" },
    { title: "the limit of the user", prepare: limitUser, code: "rate_limited" },
  ];

  test.each(refusals)("$title", async ({ prepare, of, key: named = "greet", body, code }) => {
    const undo = await prepare?.();
    const key = typeof named === "string" ? named : named();
    const target = of?.() ?? row;
    const sent = body ?? { params: { name: "Ada" } };
    try {
      for (const who of [ada, admin]) {
        const args = { tool_id: `conn:${target}/${key}`, ...sent };
        const { content } = await useTool(who, "hub_execute", args);
        const client = JSON.parse(content[0].text);
        const page = (await callOver(who, target, key, sent)).body;
        // Of a wait, only the length may differ.
        const withoutWait = ({ error, code: known, issues }: typeof page) => ({
          error: error.replace(/in \d+ s/, "in N s"),
          code: known,
          issues,
        });
        expect(client.code).toBe(code);
        expect(withoutWait(page)).toEqual(withoutWait(client));
        // The record of the failure is named, unless one record counts many.
        const runs = await hub.admin.runs.list({ limit: 1 });
        expect(page.run_id).toBe(code === "rate_limited" ? undefined : runs[0]?.id);
      }
    } finally {
      await undo?.();
    }
  });

  test("A hidden row, also one that its users may test, answers as one that never was", async () => {
    const without = ({
      status,
      body: { run_id: _, ...body },
    }: Awaited<ReturnType<typeof request>>) => JSON.stringify([status, body]);
    for (const key of ["greet", "absent", "prune"]) {
      const body = { params: { name: "Ada" } };
      const missing = await callOver(ada, crypto.randomUUID(), "greet", body);
      expect(without(await callOver(ada, hidden, key, body))).toBe(without(missing));
      const read = async (of: string) =>
        JSON.stringify(
          (await request("GET", `/as-a-client?tool_id=conn:${of}/${key}`)).body,
        ).replaceAll(of, "ROW");
      expect(await read(hidden)).toBe(await read(crypto.randomUUID()));
    }
  });
});

test("Only who may test the row calls from a page; an admin may", async () => {
  await hub.admin.rows.set(row, { tests: "admins" });
  const refused = await callOver(ada, row, "greet", { params: { name: "Ada" } });
  expect([refused.status, refused.body.code]).toEqual([403, "forbidden"]);
  expect(refused.body.error).toContain("Ask an admin");
  expect((await list(`?row=${row}`)).operations[0].may_test).toBe(false);
  const done = await callOver(admin, row, "greet", { params: { name: "Ada" } });
  expect(done.status).toBe(200);
  const [run] = await hub.admin.runs.list({ row, limit: 1 });
  expect(run).toMatchObject({
    id: done.body.run_id,
    source: "test",
    user_id: admin.user.id,
    status: "success",
  });
});

test("The result is that of hub_execute: masked, with chosen parts, cut to the same size", async () => {
  const params = { name: "Ada" };
  for (const sent of [{ params }, { params: JSON.stringify(params), fields: ["greeting"] }]) {
    const args = { tool_id: `conn:${row}/greet`, ...sent };
    const { structuredContent } = await useTool(ada, "hub_execute", args);
    const { result } = (await callOver(ada, row, "greet", sent)).body;
    const plain = (value: object) => JSON.stringify(value).replace(/hub_enc_[\w-]+/, "TOKEN");
    expect(plain(result)).toBe(plain(structuredContent));
    expect(plain(result)).not.toContain("s3cret");
  }
  await hub.admin.settings.set("HUB_RESULT_BYTES_MAX", "1024");
  const long = { params: { name: "é".repeat(2000) } };
  const { content } = await useTool(ada, "hub_execute", { tool_id: `conn:${row}/greet`, ...long });
  const { result } = (await callOver(ada, row, "greet", long)).body;
  await hub.admin.settings.reset("HUB_RESULT_BYTES_MAX");
  const plain = (text: string) => text.replace(/hub_enc_[\w-]+/, "TOKEN");
  expect(plain(JSON.stringify(result))).toBe(plain(content[0].text));
});

test.each([
  "text/event-stream",
  "application/json",
])("A call ends when its page is left, which reads %s", async (accept) => {
  const left = new AbortController();
  const sent = fetch(`${hub.url}/manager/api/operations/${row}/wait/call`, {
    method: "POST",
    headers: { ...ada.headers, accept, "content-type": "application/json" },
    body: "{}",
    signal: left.signal,
  }).then((response) => response.text());
  const status = async () => (await hub.admin.runs.list({ row, limit: 1 }))[0]?.status;
  await waitFor(async () => (await status()) === "running");
  left.abort();
  await sent.catch(() => {});
  await waitFor(async () => (await status()) === "cancelled");
});

describe("The list", () => {
  test("Without words it is that of hub_list, by rows and in pages", async () => {
    for (const who of [ada, admin]) {
      const { tools, total } = (await useTool(who, "hub_list", {})).structuredContent;
      const ids = tools.map(({ tool_id }: { tool_id: string }) => tool_id);
      const found: string[] = [];
      for (let after: string | null = "0"; after !== null; ) {
        const page = await list(`?limit=7&after=${after}`, who);
        expect(page.total).toBe(total);
        found.push(...page.operations.map(({ tool_id }: { tool_id: string }) => tool_id));
        after = page.next;
      }
      expect(found).toEqual(ids);
    }
    expect((await listIds()).join()).not.toContain(hidden);
  });

  test("With words it is that of hub_search, and filters keep its order", async () => {
    const q = "greet harbor | invite";
    const args = { query: q, limit: 100 };
    const { tools } = (await useTool(ada, "hub_search", args)).structuredContent;
    const ids = tools.map(({ tool_id }: { tool_id: string }) => tool_id);
    expect(ids.length).toBeGreaterThan(3);
    const words = `q=${encodeURIComponent(q)}`;
    expect(await listIds(`?${words}&limit=100`)).toEqual(ids);
    const ofRow = await listIds(`?${words}&row=${row}`);
    expect(ofRow).toEqual(ids.filter((id: string) => id.includes(row)));
    expect(await listIds(`?${words}&connector=openapi`)).toEqual([]);
    expect(await listIds(`?${words}&row=${hidden}`)).toEqual([]);
    expect(await listIds("?q=hidden")).toEqual([]);
  });

  test("A user to whom nothing is shared has only what the hub has for everyone", async () => {
    const { operations } = await list("?limit=100", lone);
    const connectors = operations.map(({ connector }: { connector: string }) => connector);
    expect([...new Set(connectors)]).toEqual(["hub", "workflow"]);
    const none = { operations: [], total: 0, next: null, related: [] };
    expect(await list("?connector=fixture", lone)).toEqual(none);
  });

  test("A search takes part in the limit of calls, and the plain list does not", async () => {
    await hub.admin.settings.set("HUB_USER_CALLS_PER_MINUTE", "1");
    await useTool(lone, "hub_info", {});
    const outcomes = [];
    for (const path of ["?q=greet", "/as-a-client?q=greet", ""]) {
      const { status, body } = await request("GET", path, undefined, lone);
      outcomes.push(status === 200 && body.answer?.isError ? "refused" : status);
    }
    await hub.admin.settings.reset("HUB_USER_CALLS_PER_MINUTE");
    expect(outcomes).toEqual([429, "refused", 200]);
  });
});

test("What a model is answered is shown exactly, and leaves no record", async () => {
  const toolId = `conn:${row}/greet`;
  const hiddenId = `conn:${hidden}/greet`;
  const asked: Array<[string, object, string]> = [
    ["hub_search", { query: "greet | harbour" }, "/as-a-client?q=greet%20%7C%20harbour"],
    ["hub_get", { tool_id: toolId }, `/as-a-client?tool_id=${toolId}`],
    ["hub_get", { tool_id: hiddenId }, `/as-a-client?tool_id=${hiddenId}`],
    ["hub_get", { tool_id: `conn:${row}/prune` }, `/as-a-client?tool_id=conn:${row}/prune`],
  ];
  for (const [tool, args, path] of asked) {
    const answer = await useTool(ada, tool, args);
    const [before] = await hub.admin.runs.list({ limit: 1 });
    const shown = await request("GET", path);
    expect([shown.status, shown.body]).toEqual([200, { tool, arguments: args, answer }]);
    const [after] = await hub.admin.runs.list({ limit: 1 });
    expect(after?.id).toBe(String(before?.id));
  }
});

test("Words and fields that are too long are refused with their name", async () => {
  const long = await request("GET", `?q=${"a ".repeat(501)}`);
  expect([long.status, long.body.code]).toEqual([400, "bad_request"]);
  expect(long.body.error).toContain("q");
  for (const query of ["", "?q=a&tool_id=b"]) {
    const { status, body } = await request("GET", `/as-a-client${query}`);
    expect([status, body.code]).toEqual([400, "bad_request"]);
  }
  const fields = Array.from({ length: 51 }, () => "a");
  const many = await callOver(ada, row, "greet", { params: { name: "A" }, fields });
  expect([many.status, many.body.code]).toEqual([400, "bad_request"]);
  expect(many.body.error).toContain("fields");
});

describe("Several calls in one message", () => {
  const send = (body: object, who = ada) => request("POST", "/calls", body, who);
  const toCall = (of: string, params: object = { name: "Ada" }, key = "greet") => ({
    tool_id: `conn:${of}/${key}`,
    params,
  });
  const text = (params: string) => ({ ...toCall(row), params });

  test("Each call has the outcome that it has for a client, and its record leads to the message", async () => {
    await hub.admin.rows.set(row, { tests: "tag" });
    const calls = [toCall(row), toCall(row, {}), toCall(hidden), toCall(row, {}, "absent")];
    for (const who of [ada, admin]) {
      const { status, body } = await send({ calls }, who);
      const { structuredContent } = await useTool(who, "hub_read", { calls });
      const plain = (results: object) =>
        JSON.stringify(results).replace(/hub_enc_[\w-]+/g, "TOKEN");
      expect([status, plain(body.results)]).toEqual([200, plain(structuredContent.results)]);
      const path = `/manager/api/runs?cause_id=${body.run_id}`;
      const made = (await hub.request("GET", path, admin)).body.runs;
      expect(made).toHaveLength(4);
      for (const run of made) expect(run).toMatchObject({ source: "test", user_id: who.user.id });
      const { body: record } = await hub.request("GET", `/manager/api/runs/${body.run_id}`, who);
      expect(record).toMatchObject({ operation_key: "hub_read", source: "test" });
      expect(record.calls.total).toBe(4);
    }
  });

  test("A row that its user may not test refuses its call and no other", async () => {
    const closed = (await hub.addRow("Closed harbour", ["red"])).id;
    const { body } = await send({ calls: [toCall(closed), toCall(row)] });
    expect(body.results).toMatchObject([{ status: "denied", code: "forbidden" }, {}]);
    expect(body.results[1].code).not.toBe("forbidden");
  });

  describe("Of operations that an admin can mark", () => {
    let asked = 0;
    let markable: string;
    const server = Bun.serve({ port: 0, fetch: () => Response.json({ asked: ++asked }) });
    const mark = (body: object, who = admin, of = markable) =>
      hub.request("POST", `/manager/api/rows/${of}/reads`, { ...who, body });
    const get = () => toCall(markable, { path: "/" }, "get");

    beforeEach(async () => {
      asked = 0;
      const values = { base_url: `http://127.0.0.1:${server.port}` };
      const added = { connector: "http", label: `Markable ${rows}`, tags: ["red"], values };
      markable = (await hub.admin.rows.add(added)).id;
      await hub.admin.rows.set(markable, { tests: "tag" });
    });
    afterAll(() => server.stop(true));

    test("Only marked ones run, with the result that a client gets", async () => {
      const { body: before } = await send({ calls: [get()] });
      expect(before.results).toMatchObject([{ status: "denied", code: "destructive_operation" }]);
      expect(asked).toBe(0);
      expect((await mark({ operations: ["get"], reads: true })).status).toBe(200);
      const calls = [get(), toCall(row), get()];
      const { body } = await send({ calls, ordered: true, stop_on_error: true });
      const denied = { status: "denied", code: "destructive_operation" };
      expect(body.results).toMatchObject([{ status: "success" }, denied, { status: "not_run" }]);
      expect(body.results[0].result.body).toEqual({ asked: 1 });
      const { structuredContent } = await useTool(ada, "hub_read", { calls: [get()] });
      expect(Object.keys(structuredContent.results[0].result)).toEqual(
        Object.keys(body.results[0].result),
      );
      expect(asked).toBe(2);
    });

    test("Marks are refused to users, of other operations, and of operations that have changed", async () => {
      const stamp = "of-others";
      for (const [answer, status, code] of [
        [mark({ operations: ["get"], reads: true }, ada), 403, "forbidden"],
        [mark({ operations: ["absent"], reads: true }), 404, "not_found"],
        [mark({ operations: ["delete"], reads: true }), 409, "conflict"],
        [mark({ operations: ["get"], reads: true, stamp }), 409, "conflict"],
        [mark({ operations: ["get"] }), 400, "bad_request"],
        [mark({ reads: true }, admin, crypto.randomUUID()), 404, "not_found"],
      ] as const) {
        const { status: given, body } = await answer;
        expect([given, body.code]).toEqual([status, code]);
      }
      const { results } = (await send({ calls: [get()] })).body;
      expect(results[0].code).toBe("destructive_operation");
    });
  });

  test("The limit of the user refuses the message as a whole", async () => {
    await hub.admin.settings.set("HUB_USER_CALLS_PER_MINUTE", "1");
    await useTool(ada, "hub_info", {});
    const { status, body } = await send({ calls: [toCall(row)] });
    await hub.admin.settings.reset("HUB_USER_CALLS_PER_MINUTE");
    expect([status, body.code, body.results]).toEqual([429, "rate_limited", undefined]);
  });

  test("All JSON texts of a message together have as many values as one message", async () => {
    const half = JSON.stringify({
      name: Array.from({ length: Math.ceil(valuesMax / 2) }, () => 0),
    });
    const { status, body } = await send({ calls: [toCall(row, {}), text(half), text(half)] });
    expect([status, body.code]).toEqual([400, "bad_request"]);
    expect(body.error).toContain("calls.2.params is JSON text");
    const { body: read } = await send({ calls: [text('{"name": "Ada"}')] });
    expect(read.results[0].code).toBe("destructive_operation");
  });

  test("Wrong lists are refused as a whole, with the place of each mistake", async () => {
    const many = Array.from({ length: 101 }, () => toCall(row));
    for (const [calls, said] of [
      [[], "at least one call"],
      [many, "at most 100 calls"],
      [[toCall(row), { params: {} }], "tool_id"],
      [undefined, "calls"],
    ] as const) {
      const { status, body } = await send({ calls });
      expect([status, body.code]).toEqual([400, "bad_request"]);
      expect(body.error).toContain(said);
    }
  });
});
