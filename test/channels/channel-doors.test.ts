import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { fakeMessage } from "@hub/server/channels/testing/fake-chat.ts";
import { amount } from "@hub/server/lib/testing/amount.ts";
import { type ChannelHub, onEvent, openChannelHub } from "../support/channel-hub.ts";
import { waitFor } from "../support/wait-for.ts";

let flows: ChannelHub;
let ann: Awaited<ReturnType<ChannelHub["addOwner"]>>;
let annToken: string;
let web: string;

beforeAll(async () => {
  flows = await openChannelHub();
  ann = await flows.addOwner("ann", ["ops"]);
  annToken = await makeToken("ann@example.com");
  web = await flows.addChannel("Web", { tags: ["ops"], values: { mode: "http" } });
  await flows.addChannel("Socket", { tags: ["ops"] });
  await flows.addChannel("Hidden", { tags: ["board"], values: { mode: "http" } });
});
afterAll(() => flows[Symbol.asyncDispose]());

const makeToken = async (user: string) =>
  (await flows.admin.tokens.create({ user, name: "test", scope: "manage" })).token;

/** To each door: one by each of Node's two clients, at night three. They take most of the time of this file. */
const largeBodies = Number(process.env.HUB_TEST_LARGE_BODIES ?? amount("2", "6"));

const send = (slug: string, body: unknown, token = "t0ken-of-the-chat-9fK2xQ7vLm4R") =>
  fetch(`${flows.url}/channels/${slug}/events`, {
    method: "POST",
    headers: { "x-fake-token": token },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

const makeAccessToken = async () =>
  (await flows.admin.tokens.create({ user: "ann@example.com", name: "mcp", scope: "mcp" })).token;

async function api(path: string, token: string) {
  const answer = await fetch(`${flows.url}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return { status: answer.status, body: Object(await answer.json()) };
}

/** A problem without what differs in each request. */
async function readProblem(answer: Response): Promise<string> {
  const { request_id: _, ...problem } = Object(await answer.json());
  return JSON.stringify(problem);
}

test("A signed event is answered when its run is on disk, and a repeated one starts nothing", async () => {
  const { id } = await ann.create({ name: "Said", body: onEvent("web") });
  await ann.publish(id, 1);
  for (const _ of ["first", "again"]) {
    const answer = await send("web", fakeMessage("h1", { text: "by HTTP" }));
    expect([answer.status, await answer.text()]).toEqual([200, "ok"]);
    expect(answer.headers.get("content-security-policy")).toContain("sandbox");
    expect(await flows.listEvents(id)).toMatchObject([{ event: { Payload: { text: "by HTTP" } } }]);
  }
});

test("A wrong signature, a large body, and every address without a door are refused", async () => {
  expect((await send("web", fakeMessage("h2"), "wrong")).status).toBe(401);
  expect((await send("web", "x".repeat(1024 * 1024 + 1))).status).toBe(413);
  const texts = await Promise.all(
    ["socket", "nothing", "Web", "%77eb-"].map(async (slug) => {
      const answer = await send(slug, fakeMessage("h3"));
      expect(answer.status).toBe(404);
      return await readProblem(answer);
    }),
  );
  await flows.admin.rows.disable(web);
  const disabled = await send("web", fakeMessage("h4"));
  await flows.admin.rows.enable(web);
  expect(disabled.status).toBe(404);
  texts.push(await readProblem(disabled));
  await flows.admin.types.disable("fakechat");
  const ofDisabledType = await send("web", fakeMessage("h5"));
  await flows.admin.types.enable("fakechat");
  expect(ofDisabledType.status).toBe(404);
  texts.push(await readProblem(ofDisabledType));
  expect(texts[0]).toContain("no channel for events");
  expect(new Set(texts).size).toBe(1);
});

test("A channel takes 6,000 signed requests a minute, and strangers use up none of them", async () => {
  const paced = await flows.addChannel("Paced", { tags: ["ops"], values: { mode: "http" } });
  const { callCounts } = flows.hub.services.store;
  const use = async (requests: number) => {
    const limits = { perMinute: 6_000, atOnce: 0 };
    const counted = Array.from({ length: requests }, () =>
      callCounts.begin(`channel:${paced}`, limits),
    );
    await Promise.all(counted.map(({ refusal }) => refusal));
    for (const { end } of counted) end();
  };
  expect((await send("paced", fakeMessage("p1"), "wrong")).status).toBe(401);
  expect((await send("paced", fakeMessage("p1"))).status).toBe(200);
  await use(5_900);
  const refused = await waitFor(async () => {
    // A hundred are free again after a second.
    await use(100);
    const answer = await send("paced", fakeMessage("p2"));
    return answer.status === 429 && answer;
  });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await send("web", fakeMessage("p3"))).status).toBe(200);
});

test("The look-up of a channel returns at most twenty items, to those who see it", async () => {
  const path = (slug: string) => `/channels/${slug}/lookup?source=fake.users&q=be`;
  const { status, body } = await api(path("web"), annToken);
  expect(status).toBe(200);
  expect(body).toHaveLength(20);
  expect(body[0]).toEqual({ id: "fake.users-0", name: "be 0" });
  const hidden = await api(path("hidden"), annToken);
  const absent = await api(path("absent"), annToken);
  const pick = ({ code, error, detail }: Record<string, unknown>) => ({ code, error, detail });
  expect([hidden.status, pick(hidden.body)]).toEqual([404, pick(absent.body)]);
  expect((await fetch(`${flows.url}${path("web")}`)).status).toBe(401);
});

test("Node sees each refusal of a body that was not read, at every door", async () => {
  const mebibyte = 1024 * 1024;
  const { id } = await ann.create({
    name: "Hook",
    body: {
      triggers: [{ id: "hook", type: "webhook", entry: "out" }],
      nodes: [{ id: "out", type: "set", value: 1 }],
    },
  });
  await ann.publish(id, 1);
  const page = await fetch(`${flows.url}/auth/login`);
  const cookie = page.headers.getSetCookie().map((text) => text.split(";")[0]);
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const json = { "content-type": "application/json", authorization: `Bearer ${annToken}` };
  const access = { ...json, authorization: `Bearer ${await makeAccessToken()}` };
  const doors = [
    { name: "webhook", path: `/webhook/${id}/`, headers: {}, bytes: 10 * mebibyte + 1 },
    { name: "/mcp", path: "/mcp", headers: access, bytes: 4 * mebibyte + 1 },
    { name: "API", path: "/manager/api/workflows", headers: json, bytes: 4 * mebibyte + 1 },
    { name: "channel", path: "/channels/web/events", headers: {}, bytes: mebibyte + 1 },
    { name: "OAuth", path: "/oauth/token", headers: form, bytes: mebibyte },
    { name: "no webhook", path: "/webhook/none/", headers: {}, bytes: mebibyte, status: 404 },
    { name: "no token", path: "/mcp", headers: {}, bytes: mebibyte, status: 401 },
    {
      name: "form",
      path: "/auth/login",
      bytes: mebibyte,
      headers: { ...form, cookie: cookie.join("; ") },
    },
  ].map(({ path, ...door }) => ({ status: 413, ...door, url: flows.url + path }));
  const script = join(import.meta.dirname, "../support/send-large-bodies.mjs");
  const command = ["node", script, JSON.stringify(doors), String(largeBodies)];
  const child = Bun.spawn(command, { stdout: "pipe" });
  expect(JSON.parse(await child.stdout.text())).toEqual(
    Object.fromEntries(doors.map(({ name, status }) => [name, { [status]: largeBodies }])),
  );
}, 60_000);
