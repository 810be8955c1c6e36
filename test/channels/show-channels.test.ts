/** Protects: what people see of channels, and that a slug is of one channel. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { ChannelUses } from "@hub/contract/channel.ts";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { ChatRefusal } from "@hub/server/channels/chat-adapter.ts";
import { fakeMessage } from "@hub/server/channels/testing/fake-chat.ts";
import { commandLineActor, localAdmin } from "@hub/server/identity/local-admin.ts";
import {
  listChannels,
  listUsesOfChannel,
  setChannelSlug,
  showChannel,
} from "@hub/server/services/channels/manage-channels.ts";
import { examineHub } from "@hub/server/services/doctor/examine-hub.ts";
import { type ChannelHub, onEvent, openChannelHub } from "../support/channel-hub.ts";
import { waitFor } from "../support/wait-for.ts";

let flows: ChannelHub;
beforeAll(async () => {
  flows = await openChannelHub();
});
afterAll(() => flows[Symbol.asyncDispose]());

const show = (id: string) =>
  showChannel(flows.hub.services, id, { baseUrl: "https://hub.example.com" });
const setSlug = (id: string, slug: string) =>
  setChannelSlug(flows.hub.services, commandLineActor, id, { slug });

test("A channel is shown with its connection, bot, events and last deliveries", async () => {
  const id = await flows.addChannel("Support", { values: { mode: "http" } });
  const owner = await flows.addOwner("ann");
  const { id: workflow } = await owner.create({ name: "Said", body: onEvent("support") });
  await owner.publish(workflow, 1);
  await waitFor(async () => (await show(id)).state === "connected");
  await flows.chat.deliver(id, fakeMessage("s1", { text: "secret words" }));
  await waitFor(async () => (await show(id)).recent.length === 1);
  const shown = await show(id);
  expect(shown).toMatchObject({
    id,
    slug: "support",
    connector: "fakechat",
    label: "Support",
    reason: null,
    account: { team_name: "Fake", user_id: "BOT", user_name: "hubbot" },
    request_url: "https://hub.example.com/channels/support/events",
    events: [{ id: "message" }, { id: "command" }],
    recent: [{ events: ["message"], runs: 1 }],
  });
  expect(JSON.stringify(shown)).not.toContain("secret words");
  expect(JSON.stringify(shown)).not.toContain("t0ken-of-the-chat-9fK2xQ7vLm4R");
});

test("A channel that the platform refuses is shown with the reason, to admins only", async () => {
  const id = await flows.addChannel("Broken");
  flows.chat.fail(id, new ChatRefusal("The token t0ken-of-the-chat-9fK2xQ7vLm4R was revoked."));
  await waitFor(async () => (await show(id)).state === "failed");
  // It takes no requests, so it has no address for them.
  const refused = { reason: "The token [secret] was revoked.", request_url: null };
  expect(await show(id)).toMatchObject(refused);
  const { services } = flows.hub;
  const user = { ...localAdmin, role: "user" as const, tags: new Set(["everyone"]) };
  const seen = (await listChannels(services, user)).find((one) => one.id === id);
  expect(seen).toMatchObject({ state: "failed", reason: null });
  const { checks } = await examineHub(services);
  const checked_at = expect.any(String);
  expect(checks.filter(({ name }) => name.startsWith("channel"))).toEqual([
    { name: "channels", status: "warn", message: "2 in all, 1 connected", checked_at },
    {
      name: "channel",
      status: "warn",
      message: `broken: The token [secret] was revoked. See /manager/connectors/fakechat/${id}.`,
      checked_at,
    },
  ]);
  await flows.admin.rows.disable(id);
  expect(await show(id)).toMatchObject({ state: "disabled", reason: null });
});

test("A user sees the channels of their tags", async () => {
  const id = await flows.addChannel("Hidden", { tags: ["secret"] });
  const { services } = flows.hub;
  const list = async (tags: string[]) => {
    const user = { ...localAdmin, role: "user" as const, tags: new Set(tags) };
    return (await listChannels(services, user)).map((one) => one.id);
  };
  expect(await list(["secret"])).toContain(id);
  expect(await list(["everyone"])).not.toContain(id);
});

test("A slug is unique, is no platform's name, and its change is recorded", async () => {
  const [one, other] = [await flows.addChannel("One"), await flows.addChannel("Other")];
  await expect(setSlug(one, "other")).rejects.toMatchObject({ code: "conflict" });
  for (const slug of ["fakechat", "Upper", "a b", "-a", "a-", "", "x".repeat(65), "a/b"]) {
    await expect(setSlug(one, slug)).rejects.toMatchObject({ code: "bad_request" });
  }
  expect(await setSlug(one, "first")).toMatchObject({ slug: "first" });
  expect(await setSlug(one, "first")).toMatchObject({ slug: "first" });
  expect(await setSlug(other, "one")).toMatchObject({ slug: "one" });
  const changes = await flows.admin.changes.list({ action: "row.update" });
  expect(changes.map(({ detail }) => detail)).toEqual([
    { slug: { from: "other", to: "one" } },
    { slug: { from: "one", to: "first" } },
  ]);
  // The connection is made anew, because requests now arrive at another address.
  await flows.waitForConnection(one);
  expect(await show(one)).toMatchObject({ slug: "first" });
});

test("A changed slug names the drafts and published workflows that have the former one", async () => {
  const id = await flows.addChannel("Renamed");
  const owner = await flows.addOwner("eve");
  const add = async (name: string, body: WorkflowBodyInput) =>
    (await owner.create({ name, body })).id;
  const starts = await add("Starts", onEvent("renamed"));
  await owner.publish(starts, 1);
  const sends = await add("Sends", {
    schema: 1,
    triggers: [],
    edges: [],
    nodes: [{ id: "say", type: "channel", channel: "renamed", op: "send_message", args: {} }],
  });
  await add("Other", onEvent("fakechat"));
  const named = "renamed";
  const expected: ChannelUses["workflows"] = [
    {
      id: sends,
      name: "Sends",
      places_more: 0,
      places: [{ type: "node", id: "say", named, bodies: ["draft"] }],
    },
    {
      id: starts,
      name: "Starts",
      places_more: 0,
      places: [{ type: "trigger", id: "said", named, bodies: ["published", "draft"] }],
    },
  ];
  const { workflows } = await listUsesOfChannel(flows.hub.services, id);
  expect(workflows.filter(({ places }) => places[0]?.named === named)).toEqual(expected);
  expect(workflows.map(({ name }) => name)).toContain("Other");
  const same = await setSlug(id, "renamed");
  expect(same.still_named_in).toEqual({ workflows: [], is_cut: false });
  const changed = await setSlug(id, "new-name");
  expect(changed.still_named_in).toEqual({ workflows: expected, is_cut: false });
  const after = await listUsesOfChannel(flows.hub.services, id);
  expect(after.workflows.map(({ name }) => name)).toEqual(["Other"]);
});

test("A row of another connector is no channel", async () => {
  const { id } = await flows.admin.rows.add({ connector: "http", label: "Plain" });
  await expect(show(id)).rejects.toMatchObject({ code: "not_found" });
  const uses = listUsesOfChannel(flows.hub.services, id);
  await expect(uses).rejects.toMatchObject({ code: "not_found" });
  await expect(setSlug(id, "plain")).rejects.toMatchObject({ code: "not_found" });
});
