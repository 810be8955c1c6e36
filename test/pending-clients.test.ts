/**
 * Official clients are told of calls that wait, each the best that it has declared, and get the result of the call that a
 * person has approved.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CallRuleInput } from "@hub/contract/call-rule.ts";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { setRule } from "@hub/server/services/rules/manage-rules.ts";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as Transport1 } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  ElicitRequestSchema,
  type ElicitResult,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/sdk/types.js";
import { type ApiHub, type Credentials, openApiHub } from "./api/open-api-hub.ts";

setDefaultTimeout(180_000);

const callsPath = "/manager/api/pending-calls";
const owned = new AsyncDisposableStack();
let hub: ApiHub;
let user: Awaited<ReturnType<ApiHub["addUser"]>>;
let browser: Credentials;

beforeAll(async () => {
  hub = await openApiHub();
  owned.defer(() => hub[Symbol.asyncDispose]());
  user = await hub.addUser("ada@example.com", { tags: ["red"] });
  browser = await hub.openBrowser(user.user.id);
});
afterAll(() => owned.disposeAsync());

async function addAskedRow(rule: Partial<CallRuleInput> = {}): Promise<string> {
  const { id } = await hub.addRow(`Row ${crypto.randomUUID().slice(0, 8)}`, ["red"]);
  await setRule(hub.hub.services, commandLineActor, id, { asks: "always", ...rule });
  return `conn:${id}/greet`;
}

type Elicited = { mode?: string; url?: string; message: string };
type Answer = ElicitResult["action"];
/** What the user does when the client shows a question. */
type Person = (asked: Elicited) => Promise<Answer>;

type Declared = { form?: Record<string, never>; url?: Record<string, never> };
type TestClient = { call(args: object): Promise<Called> };
type Called = { isError: boolean; answer: Record<string, unknown> };

function toCalled(result: unknown): Called {
  const { isError, content } = Object(result);
  return { isError: isError === true, answer: JSON.parse(content[0].text) };
}

/** SDK 2.4 in the stateless or the session mode. Without a person it has no handler and declares nothing. */
async function connect2(
  mode: "auto" | "legacy",
  elicitation?: Declared,
  person?: Person,
  onPost: (body: string) => void = () => {},
): Promise<TestClient> {
  const client = new Client(
    { name: "hub-test", version: "2.0.0" },
    { versionNegotiation: { mode }, capabilities: elicitation ? { elicitation } : {} },
  );
  if (person) {
    client.setRequestHandler("elicitation/create", async ({ params }) => ({
      action: await person(params),
      content: {},
    }));
  }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${hub.url}/mcp`), {
      requestInit: { headers: user.headers },
      fetch(input, init) {
        if (typeof init?.body === "string") onPost(init.body);
        return fetch(input, init);
      },
    }),
  );
  owned.defer(() => client.close());
  expect(client.getNegotiatedProtocolVersion()).toBe(mode === "auto" ? "2026-07-28" : "2025-11-25");
  return {
    call: async (args) =>
      toCalled(await client.callTool({ name: "hub_execute", arguments: { ...args } })),
  };
}

/** SDK 1.32, which has the session mode only. */
async function connect1(elicitation?: Declared, person?: Person): Promise<TestClient> {
  const client = new Client1(
    { name: "hub-test", version: "1.0.0" },
    { capabilities: elicitation ? { elicitation } : {} },
  );
  if (person) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
      action: await person(params),
      content: {},
    }));
  }
  await client.connect(
    new Transport1(new URL(`${hub.url}/mcp`), { requestInit: { headers: user.headers } }),
  );
  owned.defer(() => client.close());
  return {
    call: async (args) =>
      toCalled(await client.callTool({ name: "hub_execute", arguments: { ...args } })),
  };
}

/** Decides a call as its user does on the page that the address leads to. */
async function decideOnPage(url: string | undefined, decision: "approved" | "denied") {
  expect(url).toMatch(/^http:\/\/localhost:\d+\/approvals\/calls\/\w+$/);
  const id = url?.split("/").at(-1);
  const shown = await hub.request("GET", `${callsPath}/${id}`, { headers: browser });
  const { status } = await hub.request("POST", `${callsPath}/${id}/decision`, {
    headers: browser,
    body: { decision, hash: shown.body.hash },
  });
  expect(status).toBe(200);
}

const params = { name: "Ada" };
const greeting = { greeting: "Hello Ada" };
const refuse: Person = async () => {
  throw new Error("This client must not be asked.");
};

/** What the record of a pending call says. */
async function readCall(id: unknown) {
  return (await hub.request("GET", `${callsPath}/${id}`, { headers: browser })).body;
}

test("SDK 2.4 with url: the page is opened, the user approves on it, and the same call returns the result", async () => {
  const asked: Elicited[] = [];
  const client = await connect2("auto", { url: {} }, async (question) => {
    asked.push(question);
    await decideOnPage(question.url, "approved");
    return "accept";
  });
  const { isError, answer } = await client.call({ tool_id: await addAskedRow(), params });
  expect(asked).toHaveLength(1);
  expect(isError).toBe(false);
  expect(answer).toMatchObject(greeting);
});

test("SDK 2.4 with url: a user who approves after the page was opened is waited for, and asked once", async () => {
  const asked: Elicited[] = [];
  const person: Person = async (question) => {
    asked.push(question);
    return "accept";
  };
  let decided: Promise<void> | null = null;
  const client = await connect2("auto", { url: {} }, person, (body) => {
    // The repeated request is on its way.
    if (body.includes("requestState")) decided = decideOnPage(asked[0]?.url, "approved");
  });
  const { answer } = await client.call({ tool_id: await addAskedRow(), params });
  await decided;
  expect(answer).toMatchObject(greeting);
  expect(asked).toHaveLength(1);
});

test("SDK 2.4 with url: a call that is denied on the page is refused to the model that asked", async () => {
  const client = await connect2("auto", { url: {} }, async ({ url }) => {
    await decideOnPage(url, "denied");
    return "accept";
  });
  const { isError, answer } = await client.call({ tool_id: await addAskedRow(), params });
  expect(isError).toBe(true);
  expect(answer).toMatchObject({ code: "refused_by_rule" });
});

type Connect = (elicitation?: Declared, person?: Person) => Promise<TestClient>;
const formClients: Array<[string, Connect]> = [
  ["SDK 2.4 in the stateless mode", (...given) => connect2("auto", ...given)],
  ["SDK 2.4 in the session mode", (...given) => connect2("legacy", ...given)],
  ["SDK 1.32", connect1],
];

describe.each(formClients)("%s", (_name, connect) => {
  test("Without a handler, the model gets the page and the id, and the approved call by its id", async () => {
    const client = await connect();
    const tool_id = await addAskedRow({ confirm: "client" });
    const { isError, answer } = await client.call({ tool_id, params });
    expect(isError).toBe(true);
    expect(answer).toMatchObject({
      code: "approval_required",
      error: expect.stringContaining(`${answer.url}`),
    });
    await decideOnPage(`${answer.url}`, "approved");
    expect((await client.call({ tool_id, pending_id: answer.pending_id })).answer).toMatchObject(
      greeting,
    );
  });

  test("With forms, a rule that takes the client's word is confirmed there, and recorded as such", async () => {
    const asked: Elicited[] = [];
    const client = await connect({ form: {} }, async (question) => {
      asked.push(question);
      return "accept";
    });
    const tool_id = await addAskedRow({ confirm: "client" });
    const { answer } = await client.call({ tool_id, params });
    expect(answer).toMatchObject(greeting);
    expect(asked).toHaveLength(1);
    expect(asked[0]?.message).toContain('"name":"Ada"');
    const { body } = await hub.request("GET", `${callsPath}?mine=true`, { headers: browser });
    const listed = await readCall(Object(body).calls[0].id);
    expect(listed).toMatchObject({ state: "done", decided_via: "client" });
  });

  test("With forms, a form that is declined denies the call", async () => {
    const client = await connect({ form: {} }, async () => "decline");
    const tool_id = await addAskedRow({ confirm: "client" });
    const { answer } = await client.call({ tool_id, params });
    expect(answer).toMatchObject({ code: "refused_by_rule" });
  });

  test("With forms, no form is shown where the rule wants the page, and its accept would decide nothing", async () => {
    const client = await connect({ form: {} }, refuse);
    const { answer } = await client.call({ tool_id: await addAskedRow(), params });
    expect(answer).toMatchObject({ code: "approval_required" });
    expect(await readCall(answer.pending_id)).toMatchObject({ state: "open" });
  });
});

test("SDK 1.32 with url: the error -32042 names the page, and after the approval the same call returns the result", async () => {
  const client = await connect1({ url: {} }, refuse);
  const tool_id = await addAskedRow();
  const failure = await client.call({ tool_id, params }).catch((thrown: unknown) => thrown);
  if (!(failure instanceof UrlElicitationRequiredError)) throw failure;
  const [page] = failure.elicitations;
  await decideOnPage(page?.url, "approved");
  expect((await client.call({ tool_id, params })).answer).toMatchObject(greeting);
});

test("SDK 1.32 with url: a repeat before the decision tells the model the page, which the error told its program alone", async () => {
  const client = await connect1({ url: {} }, refuse);
  const tool_id = await addAskedRow();
  await expect(client.call({ tool_id, params })).rejects.toBeInstanceOf(
    UrlElicitationRequiredError,
  );
  const { isError, answer } = await client.call({ tool_id, params });
  expect(isError).toBe(true);
  expect(answer).toMatchObject({
    code: "approval_required",
    error: expect.stringContaining(`The page: ${answer.url}`),
    asked_before: true,
  });
  await decideOnPage(`${answer.url}`, "approved");
  expect((await client.call({ tool_id, params })).answer).toMatchObject(greeting);
});

test("The person who decides sees which client asked", async () => {
  const client = await connect1();
  const { answer } = await client.call({ tool_id: await addAskedRow(), params });
  expect(JSON.stringify(await readCall(answer.pending_id))).toContain("hub-test");
});
