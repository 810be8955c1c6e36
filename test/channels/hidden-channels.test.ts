/**
 * Protects: a user without the tags of a channel gets the same answers at every door as if it did not exist, and
 * nothing of its events.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { fakeMessage } from "@hub/server/channels/testing/fake-chat.ts";
import { apiRoutes } from "@hub/server/http/api/api-routes.ts";
import { openSession } from "@hub/server/identity/testing/open-test-session.ts";
import { findUserByEmail } from "@hub/server/store/users/users-table.ts";
import { type ChannelHub, onEvent, openChannelHub } from "../support/channel-hub.ts";
import { readAnswer } from "../support/mcp-client.ts";
import { postRpc, toToolCall } from "../support/rpc.ts";

let flows: ChannelHub;
let eve: Awaited<ReturnType<ChannelHub["addOwner"]>>;
/** By scope. */
const tokens = { mcp: "", manage: "" };
/** The channels: one that Eve sees, one that she does not, and one that never was. */
let shown: string;
const hidden = { id: "", slug: "hidden" };
const absent = { id: crypto.randomUUID(), slug: "absent" };

beforeAll(async () => {
  flows = await openChannelHub();
  eve = await flows.addOwner("eve", ["ops"]);
  for (const scope of ["mcp", "manage"] as const) {
    const given = { user: "eve@example.com", name: scope, scope };
    tokens[scope] = (await flows.admin.tokens.create(given)).token;
  }
  shown = await flows.addChannel("Shown", { tags: ["ops"] });
  hidden.id = await flows.addChannel("Hidden", { tags: ["board"] });
  // Something to read: events, runs and changes of the hidden channel.
  await flows.chat.deliver(hidden.id, fakeMessage("e0", { text: "of the board" }));
});
afterAll(() => flows[Symbol.asyncDispose]());

type Channel = typeof hidden;

/** The text without what differs by itself. */
const normalize = (text: string, { id, slug }: Channel) =>
  text
    .replaceAll(id, "ID")
    .replaceAll(slug, "SLUG")
    .replace(/"request_id":"[^"]*"/g, "")
    .replace(/"(run_id|audit_id)":"[^"]*"/g, "");

async function api(method: string, path: string, body?: object) {
  const answer = await fetch(`${flows.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${tokens.manage}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return `${answer.status} ${await answer.text()}`;
}

async function callTool(name: string, args: Record<string, unknown>) {
  const message = toToolCall(name, args);
  const answer = await postRpc(flows.url, tokens.mcp, message, { accept: "application/json" });
  return readAnswer(Object(await answer.json()).result);
}

test("Each route of the API answers for a hidden channel as for an absent one", async () => {
  const routes = apiRoutes.filter(({ path }) => /\{(row|channel)\}/.test(path));
  expect(routes.length).toBeGreaterThan(15);
  for (const { method, path } of routes) {
    const ask = async (channel: Channel) => {
      const address = path
        .replace("{row}", channel.id)
        .replace("{channel}", channel.slug)
        .replace("{operation}", "send_message");
      const query = path.endsWith("/lookup") ? "?source=fake.users&q=a" : "";
      const body = { slug: "mine", version: 1, params: { channel_id: "C1", text: "x" } };
      const answer = await api(method, `${address}${query}`, method === "GET" ? undefined : body);
      return `${method} ${path} ${normalize(answer, channel)}`;
    };
    expect(await ask(hidden)).toBe(await ask(absent));
  }
});

test("Lists, the audit and the changes name it nowhere", async () => {
  await flows.admin.rows.set(hidden.id, { description: "Of the board" });
  for (const { method, path } of apiRoutes) {
    if (method !== "GET" || path.includes("{")) continue;
    expect([path, await api("GET", path)]).toEqual([path, expect.not.stringMatching(hidden.id)]);
    expect(await api("GET", path)).not.toMatch(/of the board/i);
  }
  expect(await api("GET", "/manager/api/channels")).toContain(shown);
  expect(await api("GET", "/manager/api/channels")).not.toContain("hidden");
  const { db } = flows.hub.services.store;
  const user = await findUserByEmail(db, "eve@example.com");
  const { token: session } = await openSession({ db }, { userId: user?.id ?? "" });
  const pages = await Promise.all(
    [hidden, absent].map(async (channel) => {
      const address = `${flows.url}/manager/connectors/fakechat/${channel.id}`;
      const page = await fetch(address, { headers: { cookie: `hub_session=${session}` } });
      expect(page.status).toBe(200);
      return normalize(await page.text(), channel).replace(/nonce="[^"]*"/g, "");
    }),
  );
  expect(pages[0]).toBe(pages[1] ?? "");
});

test("A model neither finds it, nor reads its events, nor sends by it", async () => {
  const { value: listed } = await callTool("hub_list", {});
  const found: { tool_id: string }[] = listed.tools;
  expect(JSON.stringify(found)).toContain(shown);
  expect(JSON.stringify(found)).not.toContain(hidden.id);
  const { value: matches } = await callTool("hub_search", { query: "send message hidden" });
  expect(JSON.stringify(matches)).not.toContain(hidden.id);
  const ask = async (name: string, channel: Channel, params: object = {}) => {
    const tool_id = `conn:${channel.id}/send_message`;
    return normalize((await callTool(name, { tool_id, ...params })).text, channel);
  };
  const params = { params: { channel_id: "C1", text: "x" } };
  expect(await ask("hub_get", hidden)).toBe(await ask("hub_get", absent));
  expect(await ask("hub_execute", hidden, params)).toBe(await ask("hub_execute", absent, params));
  const tool = found.find(({ tool_id }) => tool_id.endsWith("/workflow_integration"));
  const { text } = await callTool("hub_execute", { tool_id: tool?.tool_id, params: {} });
  expect(text).toContain("shown");
  expect(text).not.toMatch(new RegExp(`"key":"hidden"|${hidden.id}`));
  expect(flows.chat.sent).toEqual([]);
});

test("Triggers, channel nodes and operation nodes find it as little as an absent one", async () => {
  const validate = async (
    toBody: (channel: Channel) => ReturnType<typeof onEvent>,
    of: Channel,
  ) => {
    const { id } = await eve.create({ name: "Try", body: toBody(of) });
    const { problems } = await eve.validate(id);
    expect(problems).not.toEqual([]);
    return normalize(JSON.stringify(problems), of);
  };
  const withNode = (node: object) => ({
    ...onEvent("shown"),
    // Safe: the schema reads it.
    nodes: [{ id: "done", ...node } as never],
  });
  const args = { channel_id: "C1", text: "x" };
  for (const toBody of [
    ({ slug }: Channel) => onEvent(slug),
    ({ slug }: Channel) => withNode({ type: "channel", channel: slug, op: "send_message", args }),
    ({ id }: Channel) =>
      withNode({ type: "operation", tool_id: `conn:${id}/send_message`, params: args }),
  ]) {
    expect(await validate(toBody, hidden)).toBe(await validate(toBody, absent));
  }
  // By its kind, there is one channel: the one that Eve sees.
  const { id } = await eve.create({ name: "By kind", body: onEvent("fakechat") });
  await eve.publish(id, 1);
  expect(await flows.chat.deliver(hidden.id, fakeMessage("e1"))).toEqual({ runs: 0 });
  expect(await flows.chat.deliver(shown, fakeMessage("e1"))).toEqual({ runs: 1 });
  expect(await flows.listEvents(id)).toMatchObject([{ event: { Source: "shown" } }]);
});
