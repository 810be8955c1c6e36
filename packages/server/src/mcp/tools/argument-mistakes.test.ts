/** What models write in place of right arguments. */
import { describe, expect, test } from "bun:test";
import { openTestMcp } from "../testing/open-test-mcp.ts";
import { post, request } from "../testing/post-message.ts";
import { readJson } from "../testing/read-reply.ts";

async function call(name: string, args: Record<string, unknown>) {
  const { mcp } = openTestMcp({ run: async (_, { params, fields }) => ({ params, fields }) });
  const message = request("tools/call", { name, arguments: args });
  const { result } = await readJson(await post(mcp, message));
  return JSON.parse(result.content[0].text);
}

const execute = (params: unknown, more: Record<string, unknown> = {}) =>
  call("hub_execute", { tool_id: "x", params, ...more });

describe("params of hub_execute", () => {
  test.each<[string, unknown, unknown]>([
    ["an object as JSON text", '{"path":"/x"}', { path: "/x" }],
    ["JSON text of several lines", '\n{\n  "path": "/x"\n}\n', { path: "/x" }],
    ["the JSON text of an empty object", "{}", {}],
    ["null", null, {}],
    ["an empty text", "", {}],
    ["blanks", " \n", {}],
    ["texts inside, which stay texts", '{"body":"{\\"a\\":1}"}', { body: '{"a":1}' }],
    ["an object", { body: '{"a":1}' }, { body: '{"a":1}' }],
  ])("%s is accepted", async (_, given, expected) => {
    expect((await execute(given)).params).toEqual(expected);
  });

  test.each<[string, unknown]>([
    ["a list", [1]],
    ["a list as text", "[1]"],
    ["words", "path=/x"],
    ["JSON text that ends too early", '{"path":"/x"'],
    ["JSON text of a text", '"{}"'],
    ["the word null", "null"],
    ["a number", 7],
    ["false", false],
  ])("%s is refused with the form", async (_, given) => {
    const { code, error, issues, example } = await execute(given);
    expect(code).toBe("invalid_params");
    expect(issues).toMatchObject([{ path: "params" }]);
    expect(error).toEndWith(
      '"params" must be an object, not a text or a list, such as {"owner":"octocat","number":7}.',
    );
    expect(example).toEqual({
      tool_id: "conn:…/get_issue",
      params: { owner: "octocat", number: 7 },
    });
  });

  test("JSON text has the limits of a message", async () => {
    const deep = `{"a":${"[".repeat(61)}${"]".repeat(61)}}`;
    expect((await execute(deep)).error).toContain("nested more than 64 levels deep");
    expect((await execute(`{"a":[${"1,".repeat(50_000)}1]}`)).error).toContain("50000 values");
    expect((await execute(`{"a":${"[".repeat(60)}${"]".repeat(60)}}`)).params).toHaveProperty("a");
  });

  test.each([
    "parameters",
    "arguments",
    "args",
    "input",
    "inputs",
    "Parameters",
    "parms",
    "param",
  ])("%s means params", async (name) => {
    const { error, issues } = await call("hub_execute", { tool_id: "x", [name]: { path: "/x" } });
    expect(issues).toMatchObject([{ path: name }]);
    expect(error).toContain(`There is no argument "${name}". Did you mean "params"?`);
  });

  test("Inputs beside tool_id belong into params", async () => {
    const { error } = await call("hub_execute", { tool_id: "x", path: "/x", body: {} });
    expect(error).toContain(
      'There is no argument "path". Put the operation\'s own inputs into "params".',
    );
    expect(error).toContain('There is no argument "body". Put');
    const both = await execute({}, { input: 1 });
    expect(both.error).toContain(
      'There is no argument "input". Put the operation\'s own inputs into "params".',
    );
  });
});

describe("calls of hub_read", () => {
  const read = (args: Record<string, unknown>) => call("hub_read", args);
  const one = { tool_id: "x", params: { a: 1 } };
  const result = { params: { a: 1 } };

  test.each<[string, unknown]>([
    ["a list", [one]],
    ["a list as JSON text", JSON.stringify([one])],
    ["a list of JSON texts", [JSON.stringify(one)]],
    ["one call without the list", one],
    ["one call as JSON text", JSON.stringify(one)],
    ["params as JSON text", [{ ...one, params: '{"a":1}' }]],
  ])("%s is accepted", async (_, calls) => {
    expect((await read({ calls })).results).toEqual([result]);
  });

  test("Options are passed on, also as words", async () => {
    const options = { ordered: "true", stop_on_error: false };
    const { ordered, stopOnError } = await read({ calls: [one], ...options });
    expect([ordered, stopOnError]).toEqual([true, false]);
    expect((await read({ calls: [one], ordered: "yes" })).error).toContain(
      '"ordered" must be true or false.',
    );
  });

  test.each<[string, Record<string, unknown>, string, string]>([
    [
      "an empty list",
      { calls: [] },
      "calls",
      '"calls" is an empty list. It must be a list of 1 to 100',
    ],
    [
      "101 calls",
      { calls: Array(101).fill(one) },
      "calls",
      '"calls" has 101 calls, and one message has at most 100.',
    ],
    [
      "words",
      { calls: "all of them" },
      "calls",
      '"calls" must be a list of 1 to 100 calls, such as [{"tool_id"',
    ],
    ["a number", { calls: 7 }, "calls", '"calls" must be a list of 1 to 100 calls'],
    ["null", { calls: null }, "calls", '"calls" must be a list of 1 to 100 calls'],
    [
      "both forms",
      { ...one, calls: [one] },
      "tool_id",
      'Send either "calls" or one call, not both.',
    ],
    [
      "params beside calls",
      { params: {}, calls: [one] },
      "params",
      '"params" belongs into each of "calls".',
    ],
    ["neither form", { params: {} }, "tool_id", '"tool_id" is required.'],
    ["another name", { requests: [one] }, "requests", 'Did you mean "calls"?'],
    [
      "a call without a tool",
      { calls: [one, {}] },
      "calls.1.tool_id",
      'Call 1: "tool_id" is required.',
    ],
    [
      "a call that is a word",
      { calls: [one, "x"] },
      "calls.1",
      "Call 1: It must be an object with tool_id and params.",
    ],
    [
      "a misspelt name in a call",
      { calls: [{ tool_id: "x", args: {} }] },
      "calls.0.args",
      'Call 0: There is no argument "args". Did you mean "params"?',
    ],
    [
      "inputs beside params in a call",
      { calls: [{ tool_id: "x", path: "/" }] },
      "calls.0.path",
      'Put the operation\'s own inputs into "params".',
    ],
    [
      "a list as params in a call",
      { calls: [{ tool_id: "x", params: [] }] },
      "calls.0.params",
      'Call 0: "params" must be an object',
    ],
  ])("%s: the refusal says what to do", async (_, args, path, words) => {
    const { code, error, issues, example } = await read(args);
    expect(code).toBe("invalid_params");
    expect(issues.map((issue: { path: string }) => issue.path)).toContain(path);
    expect(error).toContain(words);
    expect(error).not.toMatch(/Invalid input|expected|received/);
    expect(example).toBeDefined();
  });

  test("The JSON texts of all calls together have the limits of one message", async () => {
    const params = (count: number) => `{"a":[${"1,".repeat(count)}1]}`;
    const { error, issues } = await read({
      calls: Array(100).fill({ tool_id: "x", params: params(1_000) }),
    });
    expect(error).toContain(
      'Call 49: "params" is JSON text, with which the call has more than 50000 values.',
    );
    expect(issues).toHaveLength(21);
    const texts = Array(100).fill(`{"tool_id":"x","params":${params(600)}}`);
    expect((await read({ calls: texts })).error).toContain("more than 50000 values");
    expect(
      (await read({ calls: Array(40).fill({ tool_id: "x", params: params(1_000) }) })).results,
    ).toHaveLength(40);
  });

  test("Of many calls that are wrong, the first are named and the others counted", async () => {
    const { issues, error } = await read({ calls: Array(100).fill({}) });
    expect(issues).toHaveLength(21);
    expect(error).toEndWith("80 more calls have invalid arguments.");
  });
});

describe("other arguments", () => {
  test("A list may be JSON text", async () => {
    const { fields } = await execute({}, { fields: '["a","b.c"]' });
    expect(fields).toEqual(["a", "b.c"]);
    expect((await execute({}, { fields: "a" })).fields).toEqual(["a"]);
    const ids = '["conn:7f0c0a52-0000-4000-8000-000000000000/get_issue"]';
    expect((await call("hub_get", { tool_ids: ids })).tools).toHaveLength(1);
  });

  test("Numbers and booleans are texts where only texts are taken", async () => {
    expect((await call("hub_search", { query: 404 })).query).toBe("404");
    expect((await call("hub_search", { query: true })).query).toBe("true");
    expect((await execute({}, { fields: [0, "a"] })).fields).toEqual(["0", "a"]);
    expect((await call("hub_list", { row: 7 })).total).toBe(0);
  });

  test.each([
    ["hub_search", { q: "issue" }, '"q". Did you mean "query"?'],
    ["hub_search", { query: {} }, '"query" must be a string'],
    ["hub_get", { id: "x" }, '"id". Did you mean "tool_id"?'],
    ["hub_get", {}, '"tool_id" is required.'],
    ["hub_list", { limit: 0 }, '"limit" must be a whole number from 1'],
    ["hub_execute", { params: {} }, '"tool_id" is required.'],
  ])("A refusal of %s shows an example: %j", async (name, args, words) => {
    const { error, example } = await call(name, args);
    expect(error).toContain(words);
    expect(Object.keys(example).length).toBeGreaterThan(0);
    expect(error).not.toMatch(/Invalid input|expected|received/);
  });
});
