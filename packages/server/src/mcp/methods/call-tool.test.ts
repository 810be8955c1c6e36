import { describe, expect, test } from "bun:test";
import type { Json } from "@hub/connector";
import { type ErrorCode, HubError } from "../../errors.ts";
import { openTestMcp } from "../testing/open-test-mcp.ts";
import { execute, post, postStateless, request } from "../testing/post-message.ts";
import { readJson } from "../testing/read-reply.ts";
import type { MetaTool } from "../tools/define-meta-tool.ts";
import { hubExecute } from "../tools/hub-execute.ts";

const toolId = "conn:7f0c0a52-0000-4000-8000-000000000000/get_issue";

describe("a result", () => {
  test("A result is compact JSON text, and structuredContent if it is an object", async () => {
    const { mcp } = openTestMcp({ run: async () => ({ title: 'say "hi"', tags: [] }) });
    const { result } = await readJson(await post(mcp, execute()));
    expect<unknown>(result).toEqual({
      content: [{ type: "text", text: '{"title":"say \\"hi\\"","tags":[]}' }],
      structuredContent: { title: 'say "hi"', tags: [] },
    });
  });

  test.each([
    [[1, 2]],
    ["text"],
    [5],
    [null],
    [true],
  ])("The result %p is text, and structuredContent under the name result", async (value) => {
    const { mcp } = openTestMcp({ run: async () => value });
    const { result } = await readJson(await post(mcp, execute()));
    expect<unknown>(result).toEqual({
      content: [{ type: "text", text: JSON.stringify(value) }],
      structuredContent: { result: value },
    });
  });

  test("Params and results keep all digits of numbers", async () => {
    const { mcp } = openTestMcp({ run: async (_ctx, { params }) => params });
    const args = `{"tool_id":"${toolId}","params":{"id":9007199254740993}}`;
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hub_execute","arguments":${args}}}`;
    const answer = await (await post(mcp, text)).text();
    expect(answer).toContain('"text":"{\\"id\\":9007199254740993}"');
    expect(answer).toContain('"structuredContent":{"id":9007199254740993}');
  });

  test.each([
    ['{"a":1}', { a: 1 }],
    ["[1]", { result: [1] }],
  ])("The result %s is presented by its text: the value, parsed when first read, is not read", async (text, structured) => {
    let reads = 0;
    const sealed = {
      get value(): Json {
        reads++;
        return {};
      },
      text,
      runId: crypto.randomUUID(),
    };
    const tool: MetaTool = {
      ...hubExecute,
      accept: (args) => (deps, ctx, input) => {
        const calls = { ...deps.operations.calls, call: async () => sealed };
        const operations = { ...deps.operations, calls };
        return hubExecute.accept(args)({ ...deps, operations }, ctx, input);
      },
    };
    const { mcp } = openTestMcp({ tools: [tool] });
    const { result } = await readJson(await post(mcp, execute()));
    expect<unknown>(result.structuredContent).toEqual(structured);
    expect(result.content[0].text).toBe(text);
    expect(reads).toBe(0);
  });
});

type Message = ReturnType<typeof request>;
type Send = (mcp: ReturnType<typeof openTestMcp>["mcp"], message: Message) => Promise<Response>;

const modes: Array<[string, Send]> = [
  ["session", post],
  ["stateless", (mcp, { method, params }) => postStateless(mcp, method, params)],
];

describe.each(modes)("in the %s protocol mode", (_, send) => {
  test.each([
    [[1, 2]],
    ["text"],
    [5],
    [null],
  ])("The result %p has structuredContent that is an object", async (value) => {
    const { mcp } = openTestMcp({ run: async () => value });
    const { result } = await readJson(await send(mcp, execute()));
    expect<unknown>(result.structuredContent).toEqual({ result: value });
    expect(JSON.parse(result.content[0].text)).toEqual(value);
  });

  test("Wrong arguments return a result with isError, and an unknown tool returns -32602", async () => {
    const { mcp } = openTestMcp();
    const wrong = request("tools/call", { name: "hub_get", arguments: { tool: "x" } });
    const { result } = await readJson(await send(mcp, wrong));
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0].text)).toMatchObject({ code: "invalid_params" });
    const unknown = request("tools/call", { name: "hub_gett", arguments: {} });
    expect((await readJson(await send(mcp, unknown))).error.code).toBe(-32602);
  });
});

describe("a failure inside a tool", () => {
  const codes: ErrorCode[] = [
    "not_found",
    "operation_disabled",
    "connector_disabled",
    "needs_setup",
    "invalid_params",
    "token_invalid",
    "rate_limited",
    "timeout",
    "cancelled",
    "upstream_error",
    "plugin_unavailable",
    "internal",
  ];

  test.each(
    codes,
  )("A failure with the code %s is a result with isError, for the model to read", async (code) => {
    const { mcp } = openTestMcp({ run: () => Promise.reject(new HubError(code, "It failed.")) });
    const response = await post(mcp, execute());
    const { result } = await readJson(response);
    expect(response.status).toBe(200);
    expect<unknown>(result).toEqual({
      content: [{ type: "text", text: expect.any(String) }],
      isError: true,
    });
    expect(JSON.parse(result.content[0].text)).toEqual({
      error: "It failed.",
      code,
      tool_id: toolId,
    });
  });

  test("A failure's details are returned beside its message", async () => {
    const detail = { issues: [{ path: "number", message: "must be an integer" }] };
    const failure = new HubError("invalid_params", "Wrong params.", { detail });
    const { mcp } = openTestMcp({ run: () => Promise.reject(failure) });
    const { result } = await readJson(await post(mcp, execute()));
    expect(JSON.parse(result.content[0].text)).toMatchObject({ code: "invalid_params", ...detail });
  });

  test("An unexpected failure shows only the code internal", async () => {
    const { mcp } = openTestMcp({ run: () => Promise.reject(new Error("password is hunter2")) });
    const text = await (await post(mcp, execute())).text();
    expect(text).toContain('\\"code\\":\\"internal\\"');
    expect(text).not.toContain("hunter2");
  });

  test("A failure to record a call is internal too, and the log has the cause", async () => {
    const storeFailure = new Error("database is locked");
    const { mcp, errors } = openTestMcp({ storeFailure });
    const { result } = await readJson(await post(mcp, request("tools/call", { name: "hub_list" })));
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0].text)).toEqual({
      error: expect.any(String),
      code: "internal",
    });
    expect(errors).toEqual([[{ err: storeFailure }, expect.any(String)]]);
  });
});

describe("a refused call", () => {
  test.each([
    [
      "an unknown tool",
      { name: "hub_serch", arguments: { query: "x" } },
      "hub_serch",
      "unknown_tool",
    ],
    ["no name", { arguments: { a: 1 } }, "tools/call", "malformed_params"],
    ["a name that is no string", { name: 5 }, "tools/call", "malformed_params"],
    [
      "arguments that are not an object",
      { name: "hub_get", arguments: [1] },
      "hub_get",
      "malformed_params",
    ],
  ])("A call with %s returns -32602 and writes one audit row", async (_what, params, operationKey, outcome) => {
    const { mcp, rows } = openTestMcp();
    const response = await post(mcp, request("tools/call", params));
    const { error } = await readJson(response);
    expect([response.status, error.code]).toEqual([200, -32602]);
    expect(rows).toMatchObject([{ operationKey, outcome }]);
  });

  test.each([
    ["a missing argument", { name: "hub_get" }, '"tool_id" is required.'],
    [
      "an argument of another type",
      { name: "hub_search", arguments: { query: {} } },
      '"query" must be a string.',
    ],
    [
      "a query of endless length",
      { name: "hub_search", arguments: { query: "x".repeat(1_001) } },
      '"query" must have at most 1000 characters.',
    ],
    [
      "a number out of range",
      { name: "hub_search", arguments: { query: "x", limit: 101 } },
      '"limit" must be a whole number from 1 to 100.',
    ],
    [
      "params as the text of a list",
      { name: "hub_execute", arguments: { tool_id: "x", params: "[]" } },
      '"params" must be an object, not a text or a list, such as {"owner":"octocat","number":7}.',
    ],
    [
      "a misspelt argument",
      { name: "hub_execute", arguments: { tool_id: "x", parms: {} } },
      'There is no argument "parms". Did you mean "params"?',
    ],
    [
      "an argument named like a member of every object",
      JSON.parse('{"name":"hub_get","arguments":{"tool_id":"x","__proto__":{}}}'),
      'There is no argument "__proto__".',
    ],
  ])("A call with %s returns isError with what to correct, and writes one audit row", async (_what, params, sentence) => {
    const { mcp, rows } = openTestMcp();
    const { result } = await readJson(await post(mcp, request("tools/call", params)));
    expect(result.isError).toBe(true);
    expect(JSON.parse(result.content[0].text)).toMatchObject({
      error: `Invalid arguments for ${params.name}: ${sentence}`,
      code: "invalid_params",
      issues: [{ message: sentence }],
    });
    expect(rows).toMatchObject([{ operationKey: params.name, outcome: "invalid_params" }]);
  });

  test("The issues list at most twenty unknown arguments and count the rest", async () => {
    const { mcp } = openTestMcp();
    const names = Array.from({ length: 10_000 }, (_, index) => [`name${index}`, 1]);
    const args = { tool_id: "x", ...Object.fromEntries(names) };
    const { result } = await readJson(
      await post(mcp, request("tools/call", { name: "hub_get", arguments: args })),
    );
    const { issues } = JSON.parse(result.content[0].text);
    expect(issues).toHaveLength(21);
    expect(issues.at(-1).message).toBe("9980 more argument names are unknown.");
  });

  test("Integer arguments may be sent as text", async () => {
    const { mcp } = openTestMcp();
    const args = { query: "x", limit: "5", offset: "0" };
    const { result } = await readJson(
      await post(mcp, request("tools/call", { name: "hub_search", arguments: args })),
    );
    expect(result.isError).toBeUndefined();
  });

  test("Params that are not an object return -32602 and write one audit row", async () => {
    const { mcp, rows } = openTestMcp();
    const response = await post(mcp, { jsonrpc: "2.0", id: 1, method: "tools/call", params: [1] });
    expect((await readJson(response)).error.code).toBe(-32602);
    expect(rows).toMatchObject([{ operationKey: "tools/call", outcome: "malformed_params" }]);
  });

  test("A refusal suggests the tool or argument that was probably meant", async () => {
    const { mcp } = openTestMcp();
    const tool = await readJson(await post(mcp, request("tools/call", { name: "hub_serch" })));
    const args = { tool_id: "x", parms: {} };
    const misspelt = request("tools/call", { name: "hub_execute", arguments: args });
    const { result } = await readJson(await post(mcp, misspelt));
    const { issues } = JSON.parse(result.content[0].text);
    expect(tool.error.message).toContain('Did you mean "hub_search"?');
    expect(issues).toEqual([
      { path: "parms", message: expect.stringContaining('Did you mean "params"?') },
    ]);
  });

  test("A call of a tool with a name of 1 MB is recorded under the start of the name", async () => {
    const { mcp, rows } = openTestMcp();
    await post(mcp, request("tools/call", { name: "x".repeat(1_000_000) }));
    expect(rows[0]?.operationKey).toBe("x".repeat(100));
  });

  test("A tool named like a member of Object.prototype is unknown", async () => {
    const { mcp } = openTestMcp();
    const response = await post(mcp, request("tools/call", { name: "__proto__" }));
    expect((await readJson(response)).error.code).toBe(-32602);
  });
});

test("A call carries its caller, address and user agent", async () => {
  const seen: unknown[] = [];
  const { mcp, rows } = openTestMcp({
    run: async (ctx, { toolId: id }) => seen.push([ctx.caller.userId, ctx.origin, id]),
  });
  await post(mcp, execute());
  const origin = { source: "mcp", ip: "192.0.2.7", userAgent: "test" };
  expect(seen).toEqual([["ada", origin, toolId]]);
  expect(rows).toHaveLength(1);
});

test("Arguments that are null count as empty", async () => {
  const { mcp } = openTestMcp();
  const response = await post(mcp, request("tools/call", { name: "hub_info", arguments: null }));
  expect((await readJson(response)).result.structuredContent.hub_version).toBe("1.2.3");
});
