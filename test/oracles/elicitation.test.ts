/**
 * Forms of servers behind rows reach the person whose client calls, as coming from the row. Protects: what a server must
 * not ask for is not shown, and a server that asks again and again is stopped.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { type BridgeAdmin, openBridgeAdmin } from "../support/bridges/bridge-admin.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { findFreePort } from "../support/free-port.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { type Round, serveAsking } from "./support/asking-server.ts";
import { spawnNode } from "./support/run-node.ts";

setDefaultTimeout(180_000);

const everything = "@modelcontextprotocol/server-everything/dist/index.js";
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let admin: BridgeAdmin;

beforeAll(async () => {
  hub = owned.use(await startHub());
  admin = await openBridgeAdmin(hub);
});
afterAll(() => owned.disposeAsync());

async function addRow(
  label: string,
  url: string,
  more: Record<string, string> = {},
): Promise<string> {
  const values = { transport: "http", url, auth_mode: "none", shared_session: "false", ...more };
  const id = await admin.addRow({ connector: "mcp", label }, values);
  await admin.discover(id);
  await admin.approve(id);
  return id;
}

type Asked = { message: string; requestedSchema?: unknown };

/** A client of the session mode, of version 1.32 of the library. Without a person it declares nothing. */
async function connect(person?: (asked: Asked) => ElicitResult) {
  const client = new Client(
    { name: "hub-test", version: "1.0.0" },
    { capabilities: person ? { elicitation: {} } : {} },
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

async function serveEverything(): Promise<string> {
  const port = await findFreePort();
  const folder = owned.use(await createDataFolder());
  const child = spawnNode(everything, ["streamableHttp"], folder.path, { PORT: String(port) });
  owned.defer(() => {
    child.kill();
  });
  const listening = Promise.withResolvers<void>();
  const drain = async (stream: ReadableStream<Uint8Array>) => {
    let output = "";
    for await (const chunk of stream) {
      output += Buffer.from(chunk).toString("utf8");
      if (/on port/.test(output)) listening.resolve();
    }
  };
  drain(child.stderr);
  drain(child.stdout);
  await listening.promise;
  return `http://127.0.0.1:${port}/mcp`;
}

const nameForm = {
  message: "Who are you?",
  requestedSchema: {
    type: "object" as const,
    properties: { name: { type: "string" as const, title: "Name" } },
    required: ["name"],
  },
};
const ada = () => ({ action: "accept" as const, content: { name: "Ada" } });

test("A form of server-everything, of the session mode, is shown as from its row, and answered", async () => {
  const row = await addRow("Everything", await serveEverything());
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

const field = (name: string, more = {}) => ({
  ...nameForm,
  requestedSchema: {
    type: "object" as const,
    properties: { [name]: { type: "string" as const, ...more } },
  },
});
const hostile: Array<[string, Round]> = [
  ["for a password by its name", { form: field("password") }],
  ["for an API key by its name", { form: field("apiKey") }],
  ["for a PIN by its title", { form: field("value", { title: "Your PIN" }) }],
  ["for a card by its description", { form: field("value", { description: "card number" }) }],
  [
    "for a password in its message",
    { form: { ...nameForm, message: "Type your pass\u200bword." } },
  ],
  ["to open a page of its own", { page: "https://evil.example/sign-in" }],
  ["with a huge message", { form: { ...nameForm, message: "x".repeat(3000) } }],
];

test.each(
  hostile,
)("A server that asks %s is not passed on, and its call fails", async (what, round) => {
  const server = owned.use(serveAsking(() => round));
  const row = await addRow(`Hostile ${what}`, server.url);
  const client = await connect(ada);
  expect((await client.call(row, "ask")).isError).toBe(true);
  expect(client.asked).toEqual([]);
});

test("A server that asks again and again is stopped after five forms", async () => {
  const server = owned.use(serveAsking(() => ({ form: nameForm })));
  const row = await addRow("Endless", server.url);
  const client = await connect(ada);
  expect((await client.call(row, "ask")).isError).toBe(true);
  expect(client.asked).toHaveLength(5);
});
