import { afterEach, expect, test } from "bun:test";
import { waitUntil } from "../../../lib/testing/wait-until.ts";
import { createManualTimers } from "../../../lib/time/manual-timers.ts";
import { openTestBridge } from "../testing/open-test-bridge.ts";
import { type ServerScript, serveMcp, streamEvents } from "../testing/serve-mcp.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function open(script: ServerScript = {}, options: Parameters<typeof openTestBridge>[0] = {}) {
  const server = serveMcp(script);
  closers.push(server.close);
  const bridge = openTestBridge(options);
  closers.push(bridge.close);
  return { server, bridge, config: { url: server.url } };
}

const text = (words: string) => ({ content: [{ type: "text", text: words }] });

test("Calls of one user share a session, and two users never meet in one", async () => {
  const { server, bridge, config } = open({
    callTool: (_, { session }) => text(session ?? "none"),
  });
  const call = async (userId: string) =>
    (await bridge.callTool(config, "whoami", {}, { userId })).result;
  const [first, second, other] = await Promise.all([call("ada"), call("ada"), call("bob")]);
  expect(first).toBe(second);
  expect(other).not.toBe(first);
  expect(await call("ada")).toBe(first);
  expect(server.ofMethod("initialize")).toHaveLength(2);
});

test.each([
  ["a carriage return", "\r"],
  ["a line feed", "\n"],
  ["both", "\r\n"],
])("An answer as events whose lines end with %s is read", async (_, end) => {
  const { bridge, config } = open({
    callTool: (_, { id }) =>
      streamEvents(async (send) => {
        const data = JSON.stringify({ jsonrpc: "2.0", id, result: text("read") });
        await send(`event: message${end}id: 1${end}data: ${data}${end}${end}`);
      }),
  });
  expect((await bridge.callTool(config, "any")).result).toBe("read");
});

test("All users share the session of a row that shares it", async () => {
  const { server, bridge, config } = open();
  const shared = { ...config, shared_session: true };
  await bridge.callTool(shared, "any", {}, { userId: "ada" });
  await bridge.callTool(shared, "any", {}, { userId: "bob" });
  expect(server.ofMethod("initialize")).toHaveLength(1);
});

test("A session ends on both sides when it has been idle", async () => {
  const timers = createManualTimers();
  const { server, bridge, config } = open({}, { timers, idleMs: 1000 });
  await bridge.callTool(config, "any");
  expect(server.sessions.size).toBe(1);
  timers.advance(1000);
  await waitUntil(() => server.sessions.size === 0 && bridge.sessions.count() === 0);
});

test("A changed configuration opens a new session and ends the older one", async () => {
  const { server, bridge, config } = open({
    callTool: (_, { headers }) => text(headers.get("authorization") ?? "none"),
  });
  const withToken = (token: string) => ({ ...config, auth_mode: "bearer", token });
  expect((await bridge.callTool(withToken("one"), "any")).result).toBe("Bearer one");
  expect((await bridge.callTool(withToken("two"), "any")).result).toBe("Bearer two");
  await waitUntil(() => server.sessions.size === 1 && bridge.sessions.count() === 1);
});

test("A session that the server has forgotten is opened again, and the call is sent once more", async () => {
  const { server, bridge, config } = open();
  await bridge.callTool(config, "any");
  server.sessions.clear();
  await bridge.callTool(config, "any");
  expect(server.ofMethod("initialize")).toHaveLength(2);
});

test("The least recently used idle session is closed for another one", async () => {
  const timers = createManualTimers();
  const { server, bridge, config } = open({}, { timers, sessionsMax: 2 });
  for (const userId of ["ada", "bob", "cy"]) {
    await bridge.callTool(config, "any", {}, { userId });
    timers.advance(1);
  }
  await waitUntil(() => server.sessions.size === 2);
  await bridge.callTool(config, "any", {}, { userId: "bob" });
  expect(server.ofMethod("initialize")).toHaveLength(3);
});

test("A row whose calls never end leaves sessions to other rows", async () => {
  const { server, bridge, config } = open(
    { callTool: (name) => (name === "quick" ? text("done") : new Promise(() => {})) },
    { sessionsMax: 4 },
  );
  const abort = new AbortController();
  const { signal } = abort;
  const call = (userId: string, tool: string, rowId: string) =>
    bridge.callTool(config, tool, {}, { userId, rowId, signal });
  const silent = ["ada", "bob", "cy"].map((userId) =>
    call(userId, "silent", "hostile").catch(() => "ended"),
  );
  await waitUntil(() => server.ofMethod("tools/call").length === 3);
  await expect(call("dan", "silent", "hostile")).rejects.toThrow("This row has too many sessions");
  expect((await call("dan", "quick", "other")).result).toBe("done");
  expect((await call("eve", "quick", "third")).result).toBe("done");
  abort.abort(new Error("the callers have gone"));
  expect(await Promise.all(silent)).toEqual(["ended", "ended", "ended"]);
});

test("A server that cannot be reached is tried again only after a back-off, unless an admin asks", async () => {
  const timers = createManualTimers();
  const { server, bridge, config } = open({}, { timers });
  await server.close();
  await expect(bridge.callTool(config, "any")).rejects.toThrow("127.0.0.1");
  await expect(bridge.callTool(config, "any")).rejects.toThrow("failed 1 times in a row");
  expect(await bridge.health(config)).toMatchObject({ ok: false });
  timers.advance(60_000);
  await expect(bridge.callTool(config, "any")).rejects.toThrow("127.0.0.1");
});

test("A cancelled call tells the server", async () => {
  const started = Promise.withResolvers<void>();
  const { server, bridge, config } = open({
    callTool: (name) => {
      if (name === "quick") return text("done");
      started.resolve();
      return new Promise(() => {});
    },
  });
  const abort = new AbortController();
  const call = bridge.callTool(config, "slow", {}, { signal: abort.signal });
  await started.promise;
  abort.abort(new Error("the caller has gone"));
  await expect(call).rejects.toThrow("the caller has gone");
  await waitUntil(() => server.ofMethod("notifications/cancelled").length === 1);
  expect((await bridge.callTool(config, "quick")).result).toBe("done");
});
