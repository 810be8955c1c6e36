/**
 * Forms of servers behind rows reach the person whose client calls, as coming from the row. Protects: what a server must
 * not ask for is not shown, and a server that asks again and again is stopped.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { type BridgeAdmin, openBridgeAdmin } from "../support/bridges/bridge-admin.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import {
  ada,
  addAskingRow,
  hostileRounds,
  nameForm,
  serveEverything,
} from "./support/asking-rows.ts";
import { serveAsking } from "./support/asking-server.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let hub: RunningHub;
let admin: BridgeAdmin;

beforeAll(async () => {
  hub = owned.use(await startHub());
  admin = await openBridgeAdmin(hub);
});
afterAll(() => owned.disposeAsync());

const addRow = (label: string, url: string, more: Record<string, string> = {}) =>
  addAskingRow(admin, label, url, more);

type Asked = { message: string; requestedSchema?: unknown; url?: unknown };

/** A client of the session mode, of version 1.32 of the library. Without a person it declares nothing. */
async function connect(
  person?: (asked: Asked) => ElicitResult,
  declared: { form?: Record<string, never>; url?: Record<string, never> } = {},
) {
  const client = new Client(
    { name: "hub-test", version: "1.0.0" },
    { capabilities: person ? { elicitation: declared } : {} },
  );
  const asked: Asked[] = [];
  if (person) {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params);
      return person(params);
    });
  }
  const headers = { authorization: `Bearer ${hub.adminToken()}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${hub.url}/mcp`), { requestInit: { headers } }),
  );
  owned.defer(() => client.close());
  return {
    asked,
    async call(row: string, operation: string): Promise<{ isError: boolean; text: string }> {
      const args = { tool_id: `conn:${row}/${operation}`, params: {} };
      const result = await client.callTool({ name: "hub_execute", arguments: args });
      const { isError, content } = Object(result);
      return { isError: isError === true, text: content[0].text };
    },
  };
}

test("A form of server-everything, of the session mode, is shown as from its row, and answered", async () => {
  const row = await addRow("Everything", await serveEverything(owned));
  const client = await connect(() => ({ action: "accept", content: { name: "Ada", check: true } }));
  const { isError, text } = await client.call(row, "trigger_elicitation_request");
  expect(client.asked).toHaveLength(1);
  expect(client.asked[0]?.message).toBe(
    '"Everything" asks: Please provide inputs for the following fields:\n\nThis answer goes to "Everything".',
  );
  expect(isError).toBe(false);
  expect(text).toContain("Ada");
});

test("A form of a server of 2026-07-28 is shown within the call, which is then repeated", async () => {
  const server = owned.use(
    serveAsking((responses) =>
      "asked" in responses ? { text: `Hello ${JSON.stringify(responses)}` } : { form: nameForm },
    ),
  );
  const row = await addRow("Newest", server.url);
  const client = await connect(ada);
  const { isError, text } = await client.call(row, "ask");
  expect(isError).toBe(false);
  expect(text).toContain("Ada");
  expect(client.asked.map(({ message }) => message)).toEqual([
    '"Newest" asks: Who are you?\n\nThis answer goes to "Newest".',
  ]);
  expect(server.received.at(-1)).toEqual({ asked: ada() });
});

test("A client that declares nothing is asked nothing, and its call fails", async () => {
  const server = owned.use(serveAsking(() => ({ form: nameForm })));
  const row = await addRow("Unasked", server.url);
  const client = await connect();
  expect((await client.call(row, "ask")).isError).toBe(true);
});

test("Secrets of the row in a form are hidden, and a value token in the answer stays unopened", async () => {
  const secret = "row-9fK2xQ7vLm4R8tW1zYb3";
  const form = { ...nameForm, message: `Is it ${secret}?` };
  const server = owned.use(
    serveAsking((responses) => ("asked" in responses ? { text: "Thanks." } : { form })),
  );
  const row = await addRow("Leaking", server.url, { auth_mode: "bearer", token: secret });
  // Opening it would fail the call.
  const sealed = "hub_enc_of_the_user";
  const client = await connect(() => ({ action: "accept", content: { name: sealed } }));
  expect((await client.call(row, "ask")).isError).toBe(false);
  expect(client.asked[0]?.message).toStartWith('"Leaking" asks: Is it [hidden value]?');
  expect(server.received.at(-1)).toEqual({
    asked: { action: "accept", content: { name: sealed } },
  });
});

test.each(
  hostileRounds,
)("A server that asks %s is not passed on, and its call fails", async (what, round) => {
  const server = owned.use(serveAsking(() => round));
  const row = await addRow(`Hostile ${what}`, server.url, { page_hosts: "good.example" });
  const client = await connect(ada, { form: {}, url: {} });
  const { isError, text } = await client.call(row, "ask");
  expect(isError).toBe(true);
  expect(text).toContain("not passed on");
  expect(client.asked).toEqual([]);
});

test("A server that asks again and again is stopped after five forms", async () => {
  const server = owned.use(serveAsking(() => ({ form: nameForm })));
  const row = await addRow("Endless", server.url);
  const client = await connect(ada);
  expect((await client.call(row, "ask")).isError).toBe(true);
  expect(client.asked).toHaveLength(5);
});

test("A page of a host that an admin has approved for the row is shown within the call, with the row and the host", async () => {
  const page = "https://good.example/choose?of=1";
  const server = owned.use(
    serveAsking((responses) => ("asked" in responses ? { text: "Thanks." } : { page })),
  );
  const row = await addRow("Pages", server.url, { page_hosts: "other.example, good.example" });
  const client = await connect(() => ({ action: "accept" }), { form: {}, url: {} });
  expect(await client.call(row, "ask")).toMatchObject({ isError: false });
  expect(client.asked).toMatchObject([
    { message: '"Pages" asks to open a page of good.example: Open it.', url: page },
  ]);
  expect(server.received.at(-1)).toEqual({ asked: { action: "accept" } });
});
