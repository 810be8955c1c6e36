/**
 * Protects: the id of a call that waits is worth nothing to others. At each door another user with the same rights, and another
 * token of the same user, get what they get for an id that does not exist, whatever the call has come to.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { setRule } from "@hub/server/services/rules/manage-rules.ts";
import { type ApiHub, type Credentials, openApiHub } from "./api/open-api-hub.ts";

setDefaultTimeout(180_000);

const absent = "0".repeat(32);

let hub: ApiHub;
let ada: Awaited<ReturnType<ApiHub["addUser"]>>;
let adaBrowser: Credentials;
let ben: Awaited<ReturnType<ApiHub["addUser"]>>;
let benBrowser: Credentials;
let row: string;

beforeAll(async () => {
  hub = await openApiHub();
  ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  ben = await hub.addUser("ben@example.com", { tags: ["red"] });
  adaBrowser = await hub.openBrowser(ada.user.id);
  benBrowser = await hub.openBrowser(ben.user.id);
  row = (await hub.addRow("Private", ["red"])).id;
  await setRule(hub.hub.services, commandLineActor, row, { asks: "always" });
});
afterAll(() => hub[Symbol.asyncDispose]());

const toCall = () => ({ tool_id: `conn:${row}/greet`, params: { name: "Ada" } });

/** Uses a meta-tool. Returns the text that its model gets. */
async function useTool(headers: Credentials, name: string, args: object): Promise<string> {
  const params = { name, arguments: args };
  const { body } = await hub.request("POST", "/mcp", {
    headers,
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  });
  return `${body.result.content[0].text}`;
}

/** The doors through which a client uses a call that waits. */
const clientDoors: Record<string, (headers: Credentials, id: string) => Promise<unknown>> = {
  "hub_execute with the id": (headers, id) => useTool(headers, "hub_execute", { pending_id: id }),
  "hub_execute with the id and the operation": (headers, id) =>
    useTool(headers, "hub_execute", { tool_id: toCall().tool_id, pending_id: id }),
  "hub_read with the id": (headers, id) => useTool(headers, "hub_read", { pending_id: id }),
  "hub_read with the id among its calls": (headers, id) =>
    useTool(headers, "hub_read", { calls: [{ pending_id: id }] }),
};

/** The doors through which a person does. */
const pageDoors: typeof clientDoors = {
  "the page": (headers, id) => hub.request("GET", `/manager/api/pending-calls/${id}`, { headers }),
  "an approval": (headers, id) => decide(headers, id, "approved"),
  "a denial": (headers, id) => decide(headers, id, "denied"),
  "a deputy": (headers, id) =>
    hub.request("PUT", `/manager/api/pending-calls/${id}/deputy`, {
      headers,
      body: { deputy: "ben@example.com" },
    }),
  "the changes": (headers, id) =>
    hub.request("GET", `/manager/api/changes?target_id=${id}`, { headers }),
};

let hash = "";
const decide = (headers: Credentials, id: string, decision: "approved" | "denied") =>
  hub.request("POST", `/manager/api/pending-calls/${id}/decision`, {
    headers,
    body: { decision, hash },
  });

/** Without what every answer has of its own. */
function toComparable(answer: unknown, id: string): unknown {
  const { status, body } = Object(answer);
  return JSON.parse(
    JSON.stringify(typeof answer === "string" ? answer : { status, body }).replaceAll(id, "ID"),
  );
}

async function expectNothing(id: string): Promise<void> {
  const otherToken = await hub.addToken("ada@example.com", "mcp");
  const tries = [
    ...Object.entries(clientDoors).flatMap(([door, use]) => [
      { door: `another user at ${door}`, headers: ben.headers, use },
      { door: `another token at ${door}`, headers: otherToken, use },
    ]),
    ...Object.entries(pageDoors).map(([door, use]) => ({
      door: `another user at ${door}`,
      headers: benBrowser,
      use,
    })),
  ];
  for (const { door, headers, use } of tries) {
    const [given, missing] = [await use(headers, id), await use(headers, absent)];
    expect({ door, answer: toComparable(given, id) }).toEqual({
      door,
      answer: toComparable(missing, absent),
    });
    expect(JSON.stringify(given)).not.toMatch(/Hello|ada@/);
  }
  for (const path of ["pending-calls", "pending-calls?state=open", "permits", "runs"]) {
    const { status, body } = await hub.request("GET", `/manager/api/${path}`, {
      headers: benBrowser,
    });
    const text = JSON.stringify(body);
    expect([path, status === 403 || !text.includes(id)]).toEqual([path, true]);
    expect(text).not.toContain("ada@");
  }
}

const readState = async (id: string) =>
  (await hub.request("GET", `/manager/api/pending-calls/${id}`, { headers: adaBrowser })).body;

test("While it is open, after it is approved and after it has run, a call gives others nothing", async () => {
  const { pending_id: id } = JSON.parse(await useTool(ada.headers, "hub_execute", toCall()));
  hash = (await readState(id)).hash;
  await expectNothing(id);
  expect((await readState(id)).state).toBe("open");

  expect((await decide(adaBrowser, id, "approved")).status).toBe(200);
  await expectNothing(id);
  // An equal call of another user is a question of its own.
  const own = JSON.parse(await useTool(ben.headers, "hub_execute", toCall()));
  expect(own.code).toBe("approval_required");
  expect(own.pending_id).not.toBe(id);
  expect((await readState(id)).state).toBe("approved");

  expect(await useTool(ada.headers, "hub_execute", { pending_id: id })).toContain("Hello Ada");
  await expectNothing(id);
  expect((await readState(id)).state).toBe("done");
  const runs = await hub.admin.runs.list({ row });
  expect(runs.filter(({ status }) => status === "success")).toHaveLength(1);
});
