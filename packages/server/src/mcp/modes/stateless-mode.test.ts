import { describe, expect, test } from "bun:test";
import { openTestMcp } from "../testing/open-test-mcp.ts";
import { post, postStateless, request } from "../testing/post-message.ts";
import { readJson } from "../testing/read-reply.ts";
import { metaTools } from "../tools/meta-tools.ts";
import { metaKeys, tasksExtension } from "./protocol-versions.ts";

const serverInfo = { name: "hub", title: "Hub", version: "1.2.3" };

async function refusal(response: Promise<Response>) {
  const answer = await response;
  const { error, id } = await readJson(answer);
  return { status: answer.status, code: error.code, id, data: error.data };
}

describe("server/discover", () => {
  test("server/discover returns versions, capabilities, instructions and their lifetime", async () => {
    const { mcp } = openTestMcp();
    const { result } = await readJson(await postStateless(mcp, "server/discover"));
    expect<unknown>(result).toEqual({
      resultType: "complete",
      _meta: { [metaKeys.serverInfo]: serverInfo },
      supportedVersions: ["2026-07-28"],
      capabilities: { tools: {}, extensions: { [tasksExtension]: {} } },
      instructions: expect.stringContaining("hub_search"),
      ttlMs: expect.any(Number),
      cacheScope: "private",
    });
  });
});

describe("results", () => {
  test("A result of tools/list carries its type, cache scope and lifetime", async () => {
    const { mcp } = openTestMcp();
    const { result } = await readJson(await postStateless(mcp, "tools/list"));
    expect(result).toMatchObject({ resultType: "complete", cacheScope: "public" });
    expect(result.ttlMs).toBeGreaterThanOrEqual(0);
    expect(result._meta).toEqual({ [metaKeys.serverInfo]: serverInfo });
    expect(result.tools).toHaveLength(metaTools.length);
  });

  test("A result of tools/call is complete and not cacheable", async () => {
    const { mcp } = openTestMcp();
    const { result } = await readJson(
      await postStateless(mcp, "tools/call", { name: "hub_info", arguments: {} }),
    );
    expect(result).toMatchObject({
      resultType: "complete",
      structuredContent: { hub_version: "1.2.3" },
    });
    expect(result).not.toHaveProperty("ttlMs");
  });

  test("A result of a failing tool is complete too", async () => {
    const { mcp } = openTestMcp({ run: () => Promise.reject(new Error("secret")) });
    const params = { name: "hub_execute", arguments: { tool_id: "x" } };
    const { result } = await readJson(await postStateless(mcp, "tools/call", params));
    expect(result).toMatchObject({ resultType: "complete", isError: true });
  });

  test("tools/list has the same order in both protocol modes", async () => {
    const { mcp } = openTestMcp();
    const [stateless, session] = [
      await readJson(await postStateless(mcp, "tools/list")),
      await readJson(await post(mcp, request("tools/list"))),
    ];
    expect(stateless.result.tools).toEqual(session.result.tools);
  });
});

describe("the members of _meta", () => {
  test.each([
    ["no capabilities", { [metaKeys.clientCapabilities]: undefined }],
    ["capabilities that are not an object", { [metaKeys.clientCapabilities]: [] }],
    ["a version that is not a string", { [metaKeys.protocolVersion]: 20260728 }],
  ])("A request with %s gets 400 and -32602", async (_what, meta) => {
    const { mcp } = openTestMcp();
    const answer = postStateless(mcp, "tools/list", {}, { meta });
    expect(await refusal(answer)).toMatchObject({ status: 400, code: -32602, id: 1 });
  });

  test("A request with a stateless version header and no _meta is malformed", async () => {
    const { mcp } = openTestMcp();
    const headers = { "MCP-Protocol-Version": "2026-07-28" };
    for (const params of [{}, { _meta: {} }, { _meta: 5 }]) {
      const answer = post(mcp, request("tools/list", params), { headers });
      expect(await refusal(answer)).toMatchObject({ status: 400, code: -32602, id: 1 });
    }
  });

  test("clientInfo is optional", async () => {
    const { mcp } = openTestMcp();
    expect((await postStateless(mcp, "server/discover")).status).toBe(200);
  });

  test("An unknown version gets 400 and -32022 with the supported versions", async () => {
    const { mcp } = openTestMcp();
    const answer = postStateless(
      mcp,
      "tools/list",
      {},
      {
        meta: { [metaKeys.protocolVersion]: "2099-01-01" },
        headers: { "MCP-Protocol-Version": "2099-01-01" },
      },
    );
    expect(await refusal(answer)).toEqual({
      status: 400,
      code: -32022,
      id: 1,
      data: { supported: ["2026-07-28"], requested: "2099-01-01" },
    });
  });
});

describe("headers that must match the body", () => {
  const call = { name: "hub_info", arguments: {} };

  test.each([
    ["another version", { "MCP-Protocol-Version": "2025-11-25" }],
    ["another method", { "Mcp-Method": "tools/list" }],
    ["the method in other letters", { "Mcp-Method": "TOOLS/CALL" }],
    ["another tool", { "Mcp-Name": "hub_execute" }],
    ["a tool name in broken base64", { "Mcp-Name": "=?base64?aHViX2luZm8?=" }],
    ["no tool", { "Mcp-Name": "" }],
  ])("A request with %s gets 400 and -32020, and the call is recorded", async (_what, headers) => {
    const { mcp, rows } = openTestMcp();
    const answer = postStateless(mcp, "tools/call", call, { headers });
    expect(await refusal(answer)).toMatchObject({ status: 400, code: -32020, id: 1 });
    expect(rows).toMatchObject([{ operationKey: "hub_info", outcome: "header_mismatch" }]);
  });

  test.each([
    "MCP-Protocol-Version",
    "Mcp-Method",
    "Mcp-Name",
  ])("The header %s is required", async (name) => {
    const { mcp } = openTestMcp();
    const headers = new Headers({
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": "hub_info",
    });
    headers.delete(name);
    const meta = { [metaKeys.protocolVersion]: "2026-07-28", [metaKeys.clientCapabilities]: {} };
    const answer = post(mcp, request("tools/call", { ...call, _meta: meta }), {
      headers: Object.fromEntries(headers),
    });
    expect(await refusal(answer)).toMatchObject({ status: 400, code: -32020, id: 1 });
  });

  test("A tool name in base64 is decoded before it is compared", async () => {
    const { mcp } = openTestMcp();
    const headers = { "Mcp-Name": `=?base64?${btoa("hub_info")}?=` };
    expect((await postStateless(mcp, "tools/call", call, { headers })).status).toBe(200);
  });
});

describe("methods", () => {
  test.each([
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "unknown/method",
  ])("The method %s does not exist in the stateless mode: 404 and -32601", async (method) => {
    const { mcp } = openTestMcp();
    expect(await refusal(postStateless(mcp, method))).toMatchObject({ status: 404, code: -32601 });
  });

  test("initialize with an older version in _meta starts a session", async () => {
    const { mcp } = openTestMcp();
    const response = await postStateless(
      mcp,
      "initialize",
      { protocolVersion: "2025-11-25" },
      {
        meta: { [metaKeys.protocolVersion]: "2025-11-25" },
      },
    );
    expect((await readJson(response)).result.protocolVersion).toBe("2025-11-25");
  });

  test("An unknown tool gets -32602 with status 200", async () => {
    const { mcp } = openTestMcp();
    const answer = postStateless(mcp, "tools/call", { name: "nope" });
    expect(await refusal(answer)).toMatchObject({ status: 200, code: -32602 });
  });

  test("A notification in the stateless mode gets 202", async () => {
    const { mcp } = openTestMcp();
    const response = await post(
      mcp,
      { jsonrpc: "2.0", method: "notifications/x" },
      {
        headers: { "MCP-Protocol-Version": "2026-07-28" },
      },
    );
    expect(response.status).toBe(202);
  });
});
