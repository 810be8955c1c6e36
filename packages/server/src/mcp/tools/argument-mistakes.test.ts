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
