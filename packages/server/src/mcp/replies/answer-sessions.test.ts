import { describe, expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import type { CallContext } from "../../operations/operations.ts";
import type { Mcp } from "../mcp.ts";
import { ada, ben, openTestMcp } from "../testing/open-test-mcp.ts";
import { execute, post, postStateless, request } from "../testing/post-message.ts";
import { readJson } from "../testing/read-reply.ts";

async function initialize(mcp: Mcp): Promise<string> {
  const response = await post(mcp, request("initialize", { protocolVersion: "2025-11-25" }));
  return response.headers.get("mcp-session-id") ?? "";
}

function end(mcp: Mcp, id: string | null, caller = ada, headers: Record<string, string> = {}) {
  const own: Record<string, string> = id === null ? {} : { "Mcp-Session-Id": id };
  try {
    mcp.endSession({ headers: new Headers({ ...headers, ...own }), caller });
    return "ended";
  } catch (thrown) {
    return thrown instanceof HubError ? thrown.code : thrown;
  }
}

test("A request in its session is served and gets no new id", async () => {
  const { mcp } = openTestMcp();
  const headers = { "Mcp-Session-Id": await initialize(mcp) };
  const response = await post(mcp, request("ping"), { headers });
  expect([response.status, response.headers.get("mcp-session-id")]).toEqual([200, null]);
});

test("A session belongs to the user, not to the token", async () => {
  const { mcp } = openTestMcp();
  const headers = { "Mcp-Session-Id": await initialize(mcp) };
  const caller = { ...ada, tokenId: "refreshed" };
  expect((await post(mcp, request("ping"), { headers, caller })).status).toBe(200);
});

test("After DELETE every message of the session gets 404, and a call is recorded", async () => {
  const { mcp, rows } = openTestMcp();
  const id = await initialize(mcp);
  expect(end(mcp, id)).toBe("ended");
  const headers = { "Mcp-Session-Id": id };
  const called = await post(mcp, execute(), { headers });
  const notified = await post(mcp, { jsonrpc: "2.0", method: "notifications/x" }, { headers });
  expect([called.status, (await readJson(called)).id, notified.status]).toEqual([404, 1, 404]);
  expect(rows).toMatchObject([{ operationKey: "hub_execute", outcome: "session_unknown" }]);
  expect(end(mcp, id)).toBe("session_unknown");
});

test("DELETE cancels the running calls of its session, and no others", async () => {
  const started: CallContext[] = [];
  const { mcp } = openTestMcp({
    run: (ctx) =>
      new Promise((_, reject) => {
        started.push(ctx);
        ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason));
      }),
  });
  const [id, other] = [await initialize(mcp), await initialize(mcp)];
  const call = { name: "hub_read", arguments: { calls: [{ tool_id: "x" }, { tool_id: "y" }] } };
  const headersOf = (session: string) => ({ headers: { "Mcp-Session-Id": session } });
  const ended = post(mcp, request("tools/call", call), headersOf(id));
  void post(mcp, request("tools/call", call), headersOf(other));
  void post(mcp, execute());
  while (started.length < 5) await Promise.resolve();
  expect(end(mcp, id)).toBe("ended");
  expect(started.map(({ signal }) => signal.aborted)).toEqual([true, true, false, false, false]);
  const { result } = await readJson(await ended);
  expect(JSON.parse(result.content[0].text).code).toBe("cancelled");
});

test("A client whose session has ended may send initialize with its old id", async () => {
  const { mcp } = openTestMcp({ sessionIdPolicy: "strict" });
  const id = await initialize(mcp);
  end(mcp, id);
  const message = request("initialize", { protocolVersion: "2025-11-25" });
  const response = await post(mcp, message, { headers: { "Mcp-Session-Id": id } });
  expect([response.status, response.headers.get("mcp-session-id")]).toEqual([
    200,
    expect.any(String),
  ]);
});

test("Another user's session id gets 404, by POST and by DELETE", async () => {
  const { mcp } = openTestMcp();
  const id = await initialize(mcp);
  const response = await post(mcp, request("ping"), {
    headers: { "Mcp-Session-Id": id },
    caller: ben,
  });
  expect([response.status, end(mcp, id, ben)]).toEqual([404, "session_unknown"]);
});

describe("a session id of another process, or of this one before a restart", () => {
  test("A foreign session id is accepted by default, and the response has a new id that works", async () => {
    const { mcp } = openTestMcp();
    const response = await post(mcp, execute(), { headers: { "Mcp-Session-Id": "old" } });
    const fresh = response.headers.get("mcp-session-id") ?? "";
    const next = await post(mcp, request("ping"), { headers: { "Mcp-Session-Id": fresh } });
    expect([response.status, next.status]).toEqual([200, 200]);
    expect(fresh).not.toBe("");
    expect(next.headers.get("mcp-session-id")).toBeNull();
  });

  test("A foreign session id stays accepted for clients that keep it", async () => {
    const { mcp } = openTestMcp();
    const headers = { "Mcp-Session-Id": "old" };
    const message = { jsonrpc: "2.0", method: "notifications/initialized" };
    const first = await post(mcp, message, { headers });
    const refused = await post(mcp, request("no/such"), { headers });
    expect(first.headers.get("mcp-session-id")).toBe(refused.headers.get("mcp-session-id"));
    expect([first.status, refused.status]).toEqual([202, 200]);
  });

  test("A foreign session id gets 404 with the strict policy, so that the client initializes again", async () => {
    const { mcp } = openTestMcp({ sessionIdPolicy: "strict" });
    const response = await post(mcp, request("ping"), { headers: { "Mcp-Session-Id": "old" } });
    expect(response.status).toBe(404);
  });
});

describe("DELETE", () => {
  test("DELETE without a session id is not allowed", () => {
    const { mcp } = openTestMcp();
    expect(end(mcp, null)).toBe("method_not_allowed");
  });

  test("DELETE in the stateless mode is not allowed and ends no session", async () => {
    const { mcp } = openTestMcp();
    const id = await initialize(mcp);
    expect(end(mcp, id, ada, { "MCP-Protocol-Version": "2026-07-28" })).toBe("method_not_allowed");
    const response = await post(mcp, request("ping"), { headers: { "Mcp-Session-Id": id } });
    expect(response.status).toBe(200);
  });
});

test("The stateless mode ignores session ids and issues none", async () => {
  const { mcp } = openTestMcp({ sessionIdPolicy: "strict" });
  const response = await postStateless(
    mcp,
    "tools/list",
    {},
    { headers: { "Mcp-Session-Id": "x" } },
  );
  expect([response.status, response.headers.get("mcp-session-id")]).toEqual([200, null]);
});
