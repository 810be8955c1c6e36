import { describe, expect, test } from "bun:test";
import { openTestMcp } from "../testing/open-test-mcp.ts";
import { post, request } from "../testing/post-message.ts";
import { readJson } from "../testing/read-reply.ts";
import { metaTools } from "./meta-tools.ts";

async function call(name: string, args: Record<string, unknown> = {}) {
  const { mcp, rows } = openTestMcp();
  const { result } = await readJson(
    await post(mcp, request("tools/call", { name, arguments: args })),
  );
  expect(rows).toMatchObject([{ operationKey: name, request: args, outcome: "success" }]);
  return result.structuredContent;
}

test("The seven tools of the specification are listed in its order, then hub_read, with what clients need to call them", async () => {
  const { mcp } = openTestMcp();
  const { result } = await readJson(await post(mcp, request("tools/list")));
  const names = [
    "hub_list",
    "hub_search",
    "hub_get",
    "hub_execute",
    "hub_info",
    "hub_encrypt",
    "hub_decrypt",
    "hub_read",
  ];
  expect(result.tools.map(({ name }) => String(name))).toEqual(names);
  for (const tool of result.tools) {
    expect(tool).toEqual({
      name: expect.any(String),
      title: expect.any(String),
      description: expect.any(String),
      inputSchema: expect.objectContaining({ type: "object", properties: expect.any(Object) }),
      annotations: expect.any(Object),
    });
  }
});

test("Only hub_execute is destructive; the other tools are read-only", () => {
  for (const { name, annotations } of metaTools) {
    const isExecute = name === "hub_execute";
    expect([name, annotations.destructiveHint ?? false]).toEqual([name, isExecute]);
    expect([name, annotations.readOnlyHint]).toEqual([name, !isExecute]);
  }
});

test("Arguments are those of the specification and optional ones that narrow down an answer", () => {
  const args = Object.fromEntries(
    metaTools.map(({ name, inputSchema }) => [
      name,
      { all: Object.keys(inputSchema.properties ?? {}), required: inputSchema.required ?? [] },
    ]),
  );
  const none = { all: [], required: [] };
  expect<unknown>(args).toEqual({
    hub_list: { all: ["rows", "row", "connector", "offset", "limit"], required: [] },
    hub_search: { all: ["query", "limit", "offset", "schemas"], required: ["query"] },
    hub_get: { all: ["tool_id", "row", "operation", "tool_ids"], required: [] },
    hub_execute: {
      all: ["tool_id", "row", "operation", "params", "pending_id", "account", "fields"],
      required: [],
    },
    hub_info: none,
    hub_encrypt: none,
    hub_decrypt: none,
    hub_read: {
      all: [
        ...["tool_id", "row", "operation", "params", "pending_id", "account", "fields"],
        ...["calls", "ordered", "stop_on_error"],
      ],
      required: [],
    },
  });
});

describe("descriptions", () => {
  const describing = (name: string) =>
    metaTools.find((tool) => tool.name === name)?.description ?? "";

  test("The description of hub_execute says how to handle hub_enc_ values", () => {
    const description = describing("hub_execute");
    expect(description).toContain("hub_enc_");
    for (const word of [
      "valid credentials",
      "as they are",
      "unchanged",
      "never alter",
      "decode",
      "omit",
    ]) {
      expect(description).toContain(word);
    }
  });

  test("The description of hub_list points to hub_search, which points to hub_execute", () => {
    expect(describing("hub_list")).toContain("use hub_search first");
    expect(describing("hub_search")).toContain("hub_execute");
  });
});

describe("answers", () => {
  test("hub_list returns every entry and the total", async () => {
    expect(await call("hub_list")).toMatchObject({ tools: [{ label: "prod" }], total: 1 });
  });

  test("hub_list ignores arguments that it does not know, and empty ones", async () => {
    expect(await call("hub_list", { random_string: "x" })).toMatchObject({ total: 1 });
    expect(await call("hub_list", { row: "", connector: " " })).toMatchObject({ total: 1 });
  });

  test("hub_list returns a part by row, connector, offset and limit", async () => {
    const row = "7F0C0A52-0000-4000-8000-000000000000";
    for (const args of [{ row: "PROD" }, { row }, { connector: "code HOST" }, { limit: 1 }]) {
      const { tools, total } = Object(await call("hub_list", args));
      expect([args, tools.length, total]).toEqual([args, 1, 1]);
    }
    expect(await call("hub_list", { offset: 1 })).toEqual({ tools: [], total: 1 });
    expect(await call("hub_list", { row: "other" })).toEqual({ tools: [], total: 0 });
    expect(await call("hub_list", { connector: "other" })).toEqual({ tools: [], total: 0 });
  });

  test("hub_list returns the rows alone, also those of a connector, a label or a page", async () => {
    const row = { label: "prod", connector: "Code host", description: "", operations: 1 };
    const found = { rows: [row], total: 1 };
    for (const args of [{}, { row: "PROD" }, { connector: "code host" }, { limit: 1 }]) {
      expect(await call("hub_list", { rows: true, ...args })).toEqual(found);
    }
    expect(await call("hub_list", { rows: "true" })).toEqual(found);
    expect(await call("hub_list", { rows: true, offset: 1 })).toEqual({ rows: [], total: 1 });
    expect(await call("hub_list", { rows: true, row: "x" })).toEqual({ rows: [], total: 0 });
    expect(await call("hub_list", { rows: false })).toMatchObject({ tools: [{}], total: 1 });
  });

  test("hub_list begins with a hint if it returns more than 500 operations, and is whole", async () => {
    const list = async (listed: number, args = {}) => {
      const { mcp } = openTestMcp({ listed });
      const sent = request("tools/call", { name: "hub_list", arguments: args });
      const { result } = await readJson(await post(mcp, sent));
      return result.structuredContent;
    };
    expect(Object.keys(await list(500))).toEqual(["tools", "total"]);
    expect(Object.keys(await list(501, { limit: 500 }))).toEqual(["tools", "total"]);
    const long = await list(501);
    expect(Object.keys(long)).toEqual(["hint", "tools", "total"]);
    expect(long).toMatchObject({ hint: expect.stringContaining("rows: true"), total: 501 });
    expect(Object(long).tools).toHaveLength(501);
  });

  test("hub_search returns the matches, the total and the query", async () => {
    expect(await call("hub_search", { query: "issue" })).toMatchObject({
      tools: [{ signature: "()" }],
      total: 1,
      query: "issue",
    });
  });

  test("hub_search returns input schemas if they are asked for, also in words", async () => {
    for (const schemas of [true, "true"]) {
      const { tools } = Object(await call("hub_search", { query: "issue", schemas }));
      expect(tools).toMatchObject([{ input_schema: {} }]);
      expect(tools[0]).not.toHaveProperty("signature");
    }
    const { tools } = Object(await call("hub_search", { query: "issue", schemas: "false" }));
    expect(tools[0]).not.toHaveProperty("input_schema");
  });

  test("hub_get returns everything about one tool", async () => {
    const toolId = "conn:7f0c0a52-0000-4000-8000-000000000000/get_issue";
    expect(await call("hub_get", { tool_id: toolId })).toMatchObject({
      tool_id: toolId,
      input_schema: { type: "object" },
    });
  });

  test("hub_get returns several tools at once, and for each that cannot be read the reason", async () => {
    const known = "conn:7f0c0a52-0000-4000-8000-000000000000/get_issue";
    const { tools } = await call("hub_get", { tool_ids: [known, "absent", known] });
    expect(tools).toMatchObject([
      { tool_id: known, input_schema: { type: "object" } },
      { tool_id: "absent", code: "not_found", error: expect.any(String) },
    ]);
  });

  test("hub_info returns the three values of the build", async () => {
    expect(await call("hub_info")).toEqual({
      hub_version: "1.2.3",
      server_build_time: "2026-11-20T00:00:00Z",
      server_commit: "abc1234",
    });
  });

  test("hub_encrypt and hub_decrypt return the page's address and what to do there", async () => {
    expect(await call("hub_encrypt")).toEqual({
      url: "https://hub.example/tools/encfields",
      message: expect.any(String),
    });
    expect(await call("hub_decrypt")).toEqual({
      url: "https://hub.example/tools/encfields/decrypt",
      message: expect.any(String),
    });
  });
});

test("hub_execute runs without params if the operation takes none", async () => {
  const { mcp } = openTestMcp();
  const message = request("tools/call", { name: "hub_execute", arguments: { tool_id: "x" } });
  const { result } = await readJson(await post(mcp, message));
  expect(result.structuredContent).toEqual({ params: {} });
});
