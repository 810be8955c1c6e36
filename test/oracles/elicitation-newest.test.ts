/**
 * Questions of servers behind rows reach clients of 2026-07-28: by the answer to the call where the server asks so, and by
 * a task where it asks within its call. Protects: a state is worth nothing to others, and what must not be asked is not.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { serveMcp } from "@hub/server/bridges/mcp/testing/serve-mcp.ts";
import { isCreateTaskResultV2, isDetailedTaskV2 } from "@modelcontextprotocol/ext-tasks/core/v2";
import { type BridgeAdmin, openBridgeAdmin } from "../support/bridges/bridge-admin.ts";
import { openNewestClient } from "../support/newest-client.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import {
  ada,
  addAskingRow,
  hostileRounds,
  nameForm,
  serveEverything,
} from "./support/asking-rows.ts";
import { serveAsking } from "./support/asking-server.ts";

setDefaultTimeout(120_000);

const prefix = "io.modelcontextprotocol";
const both = { form: {}, url: {} };
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let admin: BridgeAdmin;
let everythingUrl: string;

beforeAll(async () => {
  hub = owned.use(await startHub());
  admin = await openBridgeAdmin(hub);
  everythingUrl = await serveEverything(owned);
});
afterAll(() => owned.disposeAsync());

const addRow = (label: string, url: string, more: Record<string, string> = {}) =>
  addAskingRow(admin, label, url, more);

async function connect(
  elicitation: Parameters<typeof openNewestClient>[1],
  person: Parameters<typeof openNewestClient>[2] = ada,
) {
  return owned.use(
    await openNewestClient({ url: hub.url, token: hub.adminToken() }, elicitation, person),
  );
}

const askOnce = () =>
  owned.use(
    serveAsking((responses) =>
      "asked" in responses ? { text: `Hello ${JSON.stringify(responses)}` } : { form: nameForm },
    ),
  );

test("A form of a server of 2026-07-28 passes through, as from its row, and the server goes on with its own state", async () => {
  const server = askOnce();
  const client = await connect({ form: {} });
  const { isError, text } = await client.call(await addRow("Newest", server.url), "ask");
  expect([isError, text.includes("Ada")]).toEqual([false, true]);
  expect(client.asked.map(({ message }) => message)).toEqual([
    '"Newest" asks: Who are you?\n\nThis answer goes to "Newest".',
  ]);
  expect(server.received).toEqual([{}, { asked: ada() }]);
});

test.each([
  [{}, { form: {} }],
  [{ form: {} }, { form: {} }],
  [{ url: {} }, { url: {} }],
  [both, both],
])("A client that declares %j is declared to the server as %j, in each request", async (own, seen) => {
  const server = owned.use(serveAsking(() => ({ text: "Hello." })));
  const client = await connect(own);
  await client.call(await addRow(`Mirror ${JSON.stringify(own)}`, server.url), "ask");
  expect(server.declared).toEqual([seen]);
});

test("A client that declares nothing is declared so, and its call fails", async () => {
  const server = askOnce();
  const client = await connect(null);
  const { isError } = await client.call(await addRow("Unasked", server.url), "ask");
  expect([isError, server.declared]).toEqual([true, [null]]);
});

test("A page passes through with the row and the host, if an admin has approved its host for the row", async () => {
  const page = "https://good.example/choose";
  const server = owned.use(
    serveAsking((responses) => ("asked" in responses ? { text: "Thanks." } : { page })),
  );
  const row = await addRow("Pages", server.url, { page_hosts: "good.example" });
  const client = await connect(both, () => ({ action: "accept" }));
  expect(await client.call(row, "ask")).toMatchObject({ isError: false });
  expect(client.asked).toMatchObject([
    { mode: "url", message: '"Pages" asks to open a page of good.example: Open it.', url: page },
  ]);
  expect(server.received.at(-1)).toEqual({ asked: { action: "accept" } });
});

test.each(
  hostileRounds,
)("A server that asks %s is not passed on, and its call says why", async (what, round) => {
  const server = owned.use(serveAsking(() => round));
  const row = await addRow(`Hostile ${what}`, server.url, { page_hosts: "good.example" });
  const client = await connect(both);
  const { isError, text } = await client.call(row, "ask");
  expect(isError).toBe(true);
  expect(text).toContain("not passed on");
  expect(client.asked).toEqual([]);
});

test("A server that asks again and again is stopped after five rounds", async () => {
  const server = owned.use(serveAsking(() => ({ form: nameForm })));
  const client = await connect(both);
  const { isError } = await client.call(await addRow("Endless", server.url), "ask");
  expect([isError, client.asked.length]).toEqual([true, 5]);
});

type Sent = { token?: string; tasks?: boolean };

/** The frame that answers a request of 2026-07-28, of a client that shows forms and pages. */
async function send(method: string, params: Record<string, unknown>, sent: Sent = {}) {
  const { token = hub.adminToken(), tasks = false } = sent;
  const capabilities = {
    elicitation: both,
    ...(tasks && { extensions: { [`${prefix}/tasks`]: {} } }),
  };
  const response = await fetch(`${hub.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      "mcp-name": `${params.taskId ?? params.name}`,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          [`${prefix}/protocolVersion`]: "2026-07-28",
          [`${prefix}/clientCapabilities`]: capabilities,
        },
      },
    }),
  });
  // Answers are of every shape.
  return (await response.json()) as Record<string, Record<string, never>>;
}

const toCall = (row: string, params = {}, operation = "ask") => ({
  name: "hub_execute",
  arguments: { tool_id: `conn:${row}/${operation}`, params },
});

test("A state is worth nothing if it was changed, with another call, or to another token", async () => {
  const server = askOnce();
  const row = await addRow("Bound", server.url);
  const { token } = await hub.addUser("other@example.com", { admin: true });
  const { result } = await send("tools/call", toCall(row));
  const requestState = String(result?.requestState);
  const input = { requestState, inputResponses: { asked: ada() } };
  const begun = server.received.length;
  const changed = requestState.replace(
    /^(.{60})(.)/,
    (_all, start, one) => start + (one === "A" ? "B" : "A"),
  );
  const refused = [
    await send("tools/call", {
      ...toCall(row),
      ...input,
      requestState: changed,
    }),
    await send("tools/call", { ...toCall(row, { other: 1 }), ...input }),
    await send("tools/call", { ...toCall(row), ...input }, { token }),
  ];
  expect(refused.map(({ error }) => Number(error?.code))).toEqual([-32602, -32602, -32602]);
  expect(server.received).toHaveLength(begun);
  expect(requestState).not.toContain("asked");
  const { result: done } = await send("tools/call", { ...toCall(row), ...input });
  expect(JSON.stringify(done)).toContain("Ada");
});

test("An answer goes to no other server than the one that has asked", async () => {
  const server = askOnce();
  const other = askOnce();
  const row = await addRow("Moved", server.url);
  const { result } = await send("tools/call", toCall(row));
  await hub.cli("row", "set", row, "--set", `url=${other.url}`);
  await admin.discover(row);
  await admin.approve(row);
  const { requestState } = result ?? {};
  await send("tools/call", { ...toCall(row), requestState, inputResponses: { asked: ada() } });
  expect(other.received).toEqual([{}]);
});

const trigger = "trigger_elicitation_request";

test("A form of server-everything, within its call, is a task that asks, and goes on with what the task is answered", async () => {
  const row = await addRow("Everything", everythingUrl);
  const sent = { tasks: true };
  const { result: created } = await send("tools/call", toCall(row, {}, trigger), sent);
  expect(isCreateTaskResultV2(created)).toBe(true);
  const { taskId, status } = created ?? {};
  expect(status as unknown).toBe("input_required");
  const { result: asking } = await send("tasks/get", { taskId }, sent);
  expect(isDetailedTaskV2(asking)).toBe(true);
  const [[key, request] = []] = Object.entries<{ params?: { message: string } }>(
    asking?.inputRequests ?? {},
  );
  expect(request?.params?.message).toStartWith('"Everything" asks: ');
  const content = { name: "Ada", check: true };
  const inputResponses = { [`${key}`]: { action: "accept", content } };
  await send("tasks/update", { taskId, inputResponses }, sent);
  let { result: task } = await send("tasks/get", { taskId }, sent);
  while (!["completed", "failed"].includes(String(task?.status))) {
    ({ result: task } = await send("tasks/get", { taskId }, sent));
  }
  expect(isDetailedTaskV2(task)).toBe(true);
  expect(JSON.stringify(task)).toContain("Ada");
});

test("A page that a server of an earlier version names in its error reaches the client, and the call begins anew", async () => {
  let isOpened = false;
  const elicitations = [
    { mode: "url", elicitationId: "1", message: "Open it.", url: "https://good.example/a" },
  ];
  const error = { code: -32042, message: "Open a page first.", data: { elicitations } };
  const server = serveMcp({
    listTools: () => ({ tools: [{ name: "ask", inputSchema: { type: "object" } }] }),
    callTool: (_name, { id }) =>
      isOpened
        ? { content: [{ type: "text", text: "Thanks." }] }
        : Response.json({ jsonrpc: "2.0", id, error }),
  });
  owned.defer(() => server.close());
  const row = await addRow("Error", server.url, { page_hosts: "good.example" });
  const client = await connect(both, () => {
    isOpened = true;
    return { action: "accept" };
  });
  expect(await client.call(row, "ask")).toMatchObject({ isError: false, text: '"Thanks."' });
  expect(client.asked).toMatchObject([{ mode: "url", url: "https://good.example/a" }]);
  isOpened = false;
  const strange = await addRow("Strange error", server.url, { page_hosts: "other.example" });
  const { isError, text } = await client.call(strange, "ask");
  expect([isError, client.asked.length]).toEqual([true, 1]);
  expect(text).toContain("good.example, which is not approved");
});

test("A form within the call of a server is refused with a sentence for a client without tasks", async () => {
  const row = await addRow("Without tasks", everythingUrl);
  const client = await connect({ form: {} });
  const { isError, text } = await client.call(row, trigger);
  expect(isError).toBe(true);
  expect(text).toContain("can be asked so only as a task");
  expect(client.asked).toEqual([]);
});
