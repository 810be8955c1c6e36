/** Protects: a session of an `mcp` row is of one account, and runs only what an admin has approved. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { openTestBridge } from "../../bridges/mcp/testing/open-test-bridge.ts";
import { serveMcp } from "../../bridges/mcp/testing/serve-mcp.ts";
import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import { HubError } from "../../errors.ts";
import type { CallContext } from "../../operations/operations.ts";
import { discoverRow } from "../rows/discovery/discover-row.ts";
import { addRow } from "../rows/manage-rows.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { listAccounts } from "./list-accounts.ts";
import { addAccount, changeAccount } from "./manage-accounts.ts";

type Tool = {
  name: string;
  description?: string;
  inputSchema: object;
  annotations?: Record<string, boolean>;
};
type Person = { caller: Caller; actor: Actor };

const read: Tool = {
  name: "read",
  description: "Reads a letter.",
  inputSchema: { type: "object", properties: { id: { type: "string" } } },
  annotations: { readOnlyHint: true },
};
const send: Tool = {
  name: "send",
  description: "Sends a letter.",
  inputSchema: { type: "object", properties: { to: { type: "string" } } },
};

const tokens = { root: "root-tokeN-7Kq2", ada: "ada-tokeN-4fT8wQ1z", eva: "eva-tokeN-9kP3nH5c" };
let tools: Record<string, Tool[]> = {};
let server: ReturnType<typeof serveMcp>;
let hub: Awaited<ReturnType<typeof openTestServices>>;
let ada: Person;
let eva: Person;
let root: Person;
let row: string;
const owned = new AsyncDisposableStack();
afterAll(() => owned.disposeAsync());

beforeAll(async () => {
  const findToken = (headers: Headers) => headers.get("authorization")?.slice("Bearer ".length);
  server = serveMcp({
    listTools: (_, { headers }) => ({ tools: tools[findToken(headers) ?? ""] ?? [read, send] }),
    callTool: (name, { session, headers }) => {
      const as = Object.entries(tokens).find(([, token]) => token === findToken(headers))?.[0];
      return { content: [{ type: "text", text: JSON.stringify({ name, session, as }) }] };
    },
  });
  owned.defer(() => server.close());
  const bridge = openTestBridge();
  owned.defer(() => bridge.close());
  hub = await openTestServices({ HUB_BRIDGE_TRUST: "row" });
  owned.defer(() => hub.close());
  hub.deps.registry.register(bridge.connector);
  ada = await addPerson("ada@example.com", "user");
  eva = await addPerson("eva@example.com", "user");
  root = await addPerson("root@example.com", "admin");
});

beforeEach(async () => {
  tools = {};
  server.received.length = 0;
  const values = { url: server.url, auth_mode: "bearer", token: tokens.root };
  const given = { connector: "mcp", label: "Mail", tags: ["mail"], values };
  row = (await addRow(hub.deps, root.actor, { ...given, access: "own" })).id;
  const signal = new AbortController().signal;
  await discoverRow(hub.deps, root.actor, { caller: root.caller, signal }, row);
  await connect(ada, tokens.ada);
  await connect(eva, tokens.eva);
});

async function addPerson(email: string, role: "user" | "admin"): Promise<Person> {
  const { id } = await hub.admin.users.add({ email, role, tags: ["mail"] });
  const caller = { userId: id, email, name: email, role, tags: new Set(["mail"]), tokenId: null };
  return { caller, actor: { userId: id, email, tokenId: null, via: "session", ip: null } };
}

const hosts = () => [new URL(server.url).origin];
const connect = (by: Person, token: string) =>
  addAccount(hub.deps, by, { row, values: { token }, hosts: hosts() });

/** How a call is made by a client that shows forms. */
const withForms = {
  client: {
    mode: "session" as const,
    name: null,
    version: null,
    elicitation: { form: true, url: false },
    sampling: false,
    roots: false,
    tasks: false,
  },
  askClient: async () => ({ action: "decline" }),
};

async function call({ caller }: Person, operation = "read", client: Partial<CallContext> = {}) {
  const origin = { source: "mcp" as const, ip: null, userAgent: null };
  const ctx = { caller, origin, signal: new AbortController().signal, ...client };
  const { value } = await hub.deps.operations.calls.call(ctx, {
    toolId: `conn:${row}/${operation}`,
    params: {},
  });
  return value as { session: string; as: string };
}

async function refuse(by: Person, operation?: string): Promise<HubError> {
  const thrown = await call(by, operation).catch((failure: unknown) => failure);
  if (thrown instanceof HubError) return thrown;
  throw new Error(`It was not refused: ${Bun.inspect(thrown)}`);
}

test("Each account has a session of its own, which sends its token alone, and the tools are read once in it", async () => {
  const first = await call(ada);
  expect(first.as).toBe("ada");
  const others = await Promise.all([call(eva), call(ada), call(eva)]);
  expect(others.map(({ as }) => as)).toEqual(["eva", "ada", "eva"]);
  expect(others[1]?.session).toBe(first.session);
  expect(others[0]?.session).not.toBe(first.session);
  expect(others[2]?.session).toBe(others[0]?.session ?? "");
  const lists = server.ofMethod("tools/list").map(({ headers }) => headers.get("authorization"));
  expect(lists.toSorted()).toEqual(
    Object.values(tokens)
      .map((token) => `Bearer ${token}`)
      .toSorted(),
  );
});

test("Clients with and without forms leave each other's session of an account open", async () => {
  const plain = await call(ada);
  const asking = await call(ada, "read", withForms);
  expect(asking.session).not.toBe(plain.session);
  expect((await call(ada)).session).toBe(plain.session);
  expect((await call(ada, "read", withForms)).session).toBe(asking.session);
});

test("An account that is connected again leaves its former session", async () => {
  const { session } = await call(ada);
  const { accounts } = await listAccounts(hub.deps, ada.caller);
  const account = accounts.find(({ row_id: of }) => of === row);
  await changeAccount(hub.deps, ada, account?.id ?? "", {
    values: { token: tokens.eva },
    hosts: hosts(),
  });
  const again = await call(ada);
  expect(again).toMatchObject({ as: "eva" });
  expect(again.session).not.toBe(session);
});

test("What the server offers an account otherwise than it was approved is refused unsent, and the rest runs", async () => {
  const to = { type: "object", properties: { to: { type: "string" }, all: { type: "boolean" } } };
  tools[tokens.eva] = [read, { ...send, inputSchema: to }];
  expect(await refuse(eva, "send")).toMatchObject({ code: "operation_changed" });
  expect((await call(eva)).as).toBe("eva");
  expect((await call(ada, "send")).as).toBe("ada");
  const sent = server.ofMethod("tools/call").filter(({ params }) => params.name === "send");
  expect(sent).toHaveLength(1);
});

test.each([
  ["is missing", []],
  ["has another description", [{ ...read, description: "Deletes a letter." }]],
  ["no longer says that it only reads", [{ ...read, annotations: {} }]],
  ["cannot be read", [{ ...read, inputSchema: { type: "string", properties: 7 } }]],
])("A tool that %s for an account is refused", async (_, offered) => {
  tools[tokens.eva] = offered;
  expect((await refuse(eva)).code).toBe("operation_changed");
  expect(server.ofMethod("tools/call")).toEqual([]);
});

test("Another order of the members of a schema is no change", async () => {
  const { type, ...rest } = read.inputSchema as Record<string, unknown>;
  tools[tokens.eva] = [{ ...read, inputSchema: { ...rest, type } }];
  expect((await call(eva)).as).toBe("eva");
});
