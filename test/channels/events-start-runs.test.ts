import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Json } from "@hub/connector";
import { ChatRefusal } from "@hub/server/channels/chat-adapter.ts";
import { fakeMessage } from "@hub/server/channels/testing/fake-chat.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { showChannel } from "@hub/server/services/channels/manage-channels.ts";
import { listChannelStates } from "@hub/server/store/channels/channels-table.ts";
import { type ChannelHub, onEvent, openChannelHub } from "../support/channel-hub.ts";
import { waitFor } from "../support/wait-for.ts";

let flows: ChannelHub;
let team: string;
let ann: Awaited<ReturnType<ChannelHub["addOwner"]>>;

beforeAll(async () => {
  flows = await openChannelHub();
  ann = await flows.addOwner("ann", ["ops"]);
  team = await flows.addChannel("Team chat", { tags: ["ops"] });
});
afterAll(() => flows[Symbol.asyncDispose]());

async function publish(...given: Parameters<typeof onEvent>): Promise<string> {
  const { id } = await ann.create({ name: "Said", body: onEvent(...given) });
  await ann.publish(id, 1);
  return id;
}

const deliver = (...given: Parameters<typeof fakeMessage>) =>
  flows.chat.deliver(team, fakeMessage(...given));

/** The payloads of the runs of a workflow. */
const payloads = async (id: string) =>
  (await flows.listEvents(id)).map(({ event }) => event.Payload);

test("An event of a channel starts a run of each workflow that asks for it, once per delivery", async () => {
  const one = await publish("team-chat");
  const byKind = await publish("fakechat");
  const otherEvent = await publish("team-chat", {}, "command");
  expect(await deliver("m1", { text: "hello" })).toEqual({ runs: 2 });
  await deliver("m1", { text: "hello" });
  await deliver("m2", { text: "again" });
  expect(await flows.listEvents(one)).toMatchObject([
    {
      startedBy: "channel said",
      event: {
        Source: "team-chat",
        Type: "channel",
        TriggerID: "said",
        Payload: { text: "hello" },
      },
    },
    { event: { Payload: { text: "again" } } },
  ]);
  expect(await payloads(byKind)).toHaveLength(2);
  expect(await payloads(otherEvent)).toEqual([]);
});

test("A filter that does not match starts no run, and an empty one is no filter", async () => {
  const filtered = await publish("team-chat", {
    channel_ids: ["C2", "C3"],
    users: [{ id: "U2", name: "Ben" }],
    text_contains: "DEPLOY",
  });
  const all = await publish("team-chat", { channel_ids: [], users: [], text_contains: "" });
  await deliver("f1", { channel_id: "C2", user: "U2", text: "please deploy it" });
  await deliver("f2", { channel_id: "C1", user: "U2", text: "please deploy it" });
  await deliver("f3", { channel_id: "C2", user: "U1", text: "please deploy it" });
  await deliver("f4", { channel_id: "C2", user: "U2", text: "nothing" });
  expect(await payloads(filtered)).toMatchObject([{ ts: "f1" }]);
  expect(await payloads(all)).toHaveLength(4);
});

test("Messages of the own and of other bots start only the runs that ask for them", async () => {
  const people = await publish("team-chat");
  const bots = await publish("team-chat", { include_bots: true });
  const self = await publish("team-chat", { include_self: true });
  await deliver("b1", {}, { from: "bot" });
  await deliver("b2", {}, { from: "self" });
  expect(await payloads(people)).toEqual([]);
  expect(await payloads(bots)).toMatchObject([{ ts: "b1" }]);
  expect(await payloads(self)).toMatchObject([{ ts: "b2" }]);
});

test("A trigger fires only while the owner sees the channel and the workflow is enabled", async () => {
  const ben = await flows.addOwner("ben", ["ops"]);
  const { id } = await ben.create({ name: "Said", body: onEvent("team-chat") });
  await ben.publish(id, 1);
  await deliver("r1");
  await flows.admin.users.set("ben@example.com", { tags: ["sales"] });
  await deliver("r2");
  await flows.admin.users.set("ben@example.com", { tags: ["ops"] });
  await ben.disable(id);
  await deliver("r3");
  await ben.enable(id);
  await deliver("r4");
  await flows.admin.users.disable("ben@example.com");
  await deliver("r5");
  expect(await payloads(id)).toMatchObject([{ ts: "r1" }, { ts: "r4" }]);
});

test("A value token in a message does not reach the run", async () => {
  const id = await publish("team-chat", { text_contains: "hub_enc_" });
  const { token } = await flows.admin.encrypt({ user: "ann@example.com", text: "of Ann" });
  await deliver("t1", { text: `use ${token} now` });
  expect(await payloads(id)).toMatchObject([{ text: "use [secret] now" }]);
});

test("A run that the queue policy refuses is recorded as dropped, and its delivery is completed", async () => {
  const body = onEvent("team-chat", { text_contains: "busy" });
  const { id } = await ann.create({
    name: "Busy",
    body: {
      ...body,
      nodes: [{ id: "done", type: "wait", seconds: 3600 }],
      settings: { queue: { policy: "drop", runs_at_once: 1 } },
    },
  });
  await ann.publish(id, 1);
  const first = await deliver("d1", { text: "busy" });
  expect(await deliver("d2", { text: "busy" })).toEqual({ runs: first.runs - 1 });
  await deliver("d2", { text: "busy" });
  const states = (await flows.listEvents(id)).map(({ state }) => state);
  expect(states).toEqual([expect.stringMatching(/running|waiting/), "dropped"]);
});

nightlyTest(
  "The connection ends when its row is disabled, and a refusal lasts until the row changes",
  async () => {
    const id = await flows.addChannel("Short lived", { tags: ["none"] });
    const state = async () => (await listChannelStates(flows.hub.services.store.db, [id]))[0];
    await waitFor(async () => (await state())?.state === "connected");
    await flows.admin.rows.disable(id);
    await waitFor(() => !flows.chat.held.has(id));
    flows.chat.refuseConnections(
      new ChatRefusal("The token t0ken-of-the-chat-9fK2xQ7vLm4R was revoked."),
    );
    await flows.admin.rows.enable(id);
    const failed = await waitFor(async () => {
      const present = await state();
      return present?.state === "failed" && present.holder === null ? present : null;
    });
    expect(failed.reason).toBe("The token [secret] was revoked.");
    flows.chat.refuseConnections(null);
    expect(flows.chat.holds.get(id)).toBe(2);
    await flows.admin.rows.set(id, { values: { token: "a-new-token" } });
    await flows.waitForConnection(id);
    await flows.admin.rows.delete(id);
    await waitFor(() => !flows.chat.held.has(id));
  },
);

test("An event that cannot be read stops no others, and is given up after three deliveries", async () => {
  const row = await flows.addChannel("Beside", { tags: ["ops"] });
  const { id } = await ann.create({ name: "Beside", body: onEvent("beside") });
  await ann.publish(id, 1);
  let deep: Json = "deep";
  for (let level = 0; level < 10_000; level += 1) deep = [deep];
  const payload = { user: "U1", text: "deep", channel_id: "C1", is_dm: false, ts: "1", deep };
  const unreadable = fakeMessage("beside-2", {}, { events: [{ event: "message", payload }] });
  const deliverAll = () =>
    Promise.allSettled(
      [fakeMessage("beside-1", { text: "before" }), unreadable, fakeMessage("beside-3")].map(
        (envelope) => flows.chat.deliver(row, envelope),
      ),
    );
  const stored = { status: "fulfilled", value: { runs: 1 } };
  const refused = { status: "rejected", reason: { code: "unavailable" } };
  expect(await deliverAll()).toMatchObject([stored, refused, stored]);
  expect(await deliverAll()).toMatchObject([stored, refused, stored]);
  const givenUp = { status: "fulfilled", value: { runs: 0 } };
  expect(await deliverAll()).toMatchObject([stored, givenUp, stored]);
  const texts = (await flows.listEvents(id)).map(({ event }) => event.Payload.text);
  expect(texts.toSorted()).toEqual(["before", "hello"]);
  const failures = await waitFor(async () => {
    const { recent } = await showChannel(flows.hub.services, row, { baseUrl: flows.url });
    const listed = recent.map(({ failure }) => failure).filter((failure) => failure !== null);
    return listed.length === 3 && listed;
  });
  expect(failures).toEqual(["given_up", "again", "again"]);
  await ann.disable(id);
});
