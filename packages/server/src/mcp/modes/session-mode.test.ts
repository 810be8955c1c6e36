import { describe, expect, test } from "bun:test";
import { openTestMcp } from "../testing/open-test-mcp.ts";
import { execute, post, request } from "../testing/post-message.ts";
import { readJson } from "../testing/read-reply.ts";
import { metaTools } from "../tools/meta-tools.ts";

describe("initialize", () => {
  test.each([
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
  ])("initialize accepts the version %s", async (protocolVersion) => {
    const { mcp } = openTestMcp();
    const response = await post(mcp, request("initialize", { protocolVersion }));
    expect((await readJson(response)).result.protocolVersion).toBe(protocolVersion);
  });

  test.each([
    "1999-01-01",
    "2026-07-28",
    "",
  ])("initialize offers the newest version to a client that asks for %p", async (protocolVersion) => {
    const { mcp } = openTestMcp();
    const response = await post(mcp, request("initialize", { protocolVersion }));
    expect((await readJson(response)).result.protocolVersion).toBe("2025-11-25");
  });

  test("initialize describes the hub and a fixed tool list, and points to hub_search", async () => {
    const { mcp } = openTestMcp();
    const message = request("initialize", { protocolVersion: "2025-11-25" });
    const { result } = await readJson(await post(mcp, message));
    expect(result.serverInfo).toEqual({ name: "hub", title: "Hub", version: "1.2.3" });
    expect(result.capabilities).toEqual({ tools: {} });
    expect(result.instructions).toContain("hub_search");
    // No extension either: those are of the stateless mode.
    expect(Object.keys(result).toSorted()).toEqual([
      "capabilities",
      "instructions",
      "protocolVersion",
      "serverInfo",
    ]);
  });

  test("initialize issues a new session id each time, also if the client sends an old one", async () => {
    const { mcp } = openTestMcp();
    const message = request("initialize", { protocolVersion: "2025-11-25" });
    const first = (await post(mcp, message)).headers.get("mcp-session-id") ?? "";
    const again = await post(mcp, message, { headers: { "Mcp-Session-Id": first } });
    expect(first).toMatch(/^[\x21-\x7e]+$/);
    expect(again.headers.get("mcp-session-id")).not.toBe(first);
  });

  test("initialize without a version is malformed and starts no session", async () => {
    const { mcp } = openTestMcp();
    const response = await post(mcp, request("initialize", {}));
    expect((await readJson(response)).error.code).toBe(-32602);
    expect(response.headers.get("mcp-session-id")).toBeNull();
  });

  test("initialize ignores the version header", async () => {
    const { mcp } = openTestMcp();
    const message = request("initialize", { protocolVersion: "2025-06-18" });
    const response = await post(mcp, message, { headers: { "MCP-Protocol-Version": "nonsense" } });
    expect(response.status).toBe(200);
  });
});

describe("a message", () => {
  test("A notification or a response gets 202 and no body", async () => {
    const { mcp } = openTestMcp();
    for (const message of [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", method: "notifications/whatever", params: [1] },
      { jsonrpc: "2.0", id: 1, result: {} },
    ]) {
      const response = await post(mcp, message);
      expect([response.status, await response.text()]).toEqual([202, ""]);
    }
  });

  test("A ping gets an empty result", async () => {
    const { mcp } = openTestMcp();
    const response = await post(mcp, request("ping", {}, "p1"));
    expect<unknown>(await readJson(response)).toEqual({ jsonrpc: "2.0", id: "p1", result: {} });
  });

  test.each([
    "server/discover",
    "logging/setLevel",
    "resources/list",
    "prompts/list",
    "__proto__",
  ])("The unknown method %s gets -32601 with status 200", async (method) => {
    const { mcp } = openTestMcp();
    const response = await post(mcp, request(method));
    expect([response.status, (await readJson(response)).error.code]).toEqual([200, -32601]);
  });

  test("A message needs no session and no version header", async () => {
    const { mcp } = openTestMcp();
    const response = await post(mcp, request("tools/list"));
    expect((await readJson(response)).result.tools).toHaveLength(metaTools.length);
  });

  test("A message with an unknown version header gets 400, and a call is recorded", async () => {
    const { mcp, rows } = openTestMcp();
    const response = await post(mcp, execute(), {
      headers: { "MCP-Protocol-Version": "2099-01-01" },
    });
    const { error, id } = await readJson(response);
    expect([response.status, error.code, id]).toEqual([400, -32600, 1]);
    expect(rows).toMatchObject([{ operationKey: "hub_execute", outcome: "invalid_request" }]);
  });

  test("An id with more digits than a JavaScript number keeps is returned unchanged", async () => {
    const { mcp } = openTestMcp();
    const text = '{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}';
    const response = await post(mcp, text);
    expect(await response.text()).toBe('{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}');
  });

  test("An invalid message gets 400 and its error code, and is not recorded", async () => {
    const { mcp, rows } = openTestMcp();
    const broken = await post(mcp, '{"jsonrpc":"2.0","id":1,"method":"tools/call"');
    const batch = await post(mcp, [execute()]);
    expect([broken.status, (await readJson(broken)).error.code]).toEqual([400, -32700]);
    expect([batch.status, (await readJson(batch)).error.code]).toEqual([400, -32600]);
    expect(rows).toEqual([]);
  });

  test("tools/list with a cursor is malformed", async () => {
    const { mcp } = openTestMcp();
    const response = await post(mcp, request("tools/list", { cursor: "x" }));
    expect((await readJson(response)).error.code).toBe(-32602);
  });

  test("A result has none of the stateless mode's members", async () => {
    const { mcp } = openTestMcp();
    for (const message of [request("tools/list"), execute()]) {
      const { result } = await readJson(await post(mcp, message));
      for (const name of ["resultType", "_meta", "ttlMs", "cacheScope"]) {
        expect(result).not.toHaveProperty(name);
      }
    }
  });
});
