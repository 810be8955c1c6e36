import type { BridgeAdmin } from "../../support/bridges/bridge-admin.ts";
import { createDataFolder } from "../../support/data-folder.ts";
import { findFreePort } from "../../support/free-port.ts";
import type { Round } from "./asking-server.ts";
import { spawnNode } from "./run-node.ts";

const everything = "@modelcontextprotocol/server-everything/dist/index.js";

/** A row of a server that asks, approved. */
export async function addAskingRow(
  admin: BridgeAdmin,
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

/** The official test server of the session mode. Resolves with its address when it listens. */
export async function serveEverything(owned: AsyncDisposableStack): Promise<string> {
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

export const nameForm = {
  message: "Who are you?",
  requestedSchema: {
    type: "object" as const,
    properties: { name: { type: "string" as const, title: "Name" } },
    required: ["name"],
  },
};
export const ada = () => ({ action: "accept" as const, content: { name: "Ada" } });

const field = (name: string, more = {}) => ({
  ...nameForm,
  requestedSchema: {
    type: "object" as const,
    properties: { [name]: { type: "string" as const, ...more } },
  },
});

/** What a server must not ask, by what it asks. */
export const hostileRounds: Array<[string, Round]> = [
  ["for a password by its name", { form: field("password") }],
  ["for an API key by its name", { form: field("apiKey") }],
  ["for a PIN by its title", { form: field("value", { title: "Your PIN" }) }],
  ["for a card by its description", { form: field("value", { description: "card number" }) }],
  [
    "for a password in its message",
    { form: { ...nameForm, message: "Type your pass\u200bword." } },
  ],
  ["to open a page of its own", { page: "https://evil.example/sign-in" }],
  ["to open a page without TLS", { page: "http://good.example/sign-in" }],
  ["to open a page of a host that looks alike", { page: "https://good.example.evil.example/" }],
  ["to open a page as a user", { page: "https://good.example@evil.example/" }],
  ["with a huge message", { form: { ...nameForm, message: "x".repeat(3000) } }],
];
