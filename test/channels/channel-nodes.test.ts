import { afterAll, beforeAll, expect, test } from "bun:test";
import { fakeMessage } from "@hub/server/channels/testing/fake-chat.ts";
import { listSteps } from "@hub/server/store/workflow-runs/workflow-steps.ts";
import { type ChannelHub, onEvent, openChannelHub } from "../support/channel-hub.ts";
import { waitFor } from "../support/wait-for.ts";

let flows: ChannelHub;
let team: string;
let ann: Awaited<ReturnType<ChannelHub["addOwner"]>>;

beforeAll(async () => {
  flows = await openChannelHub();
  ann = await flows.addOwner("ann", ["ops"]);
  team = await flows.addChannel("Team", { tags: ["ops"] });
  await flows.addChannel("Hidden", { tags: ["board"] });
});
afterAll(() => flows[Symbol.asyncDispose]());

/** A body that answers each message with these arguments. */
const answering = (args: Record<string, unknown>, more: object = {}) => ({
  ...onEvent("team"),
  nodes: [
    { id: "done", type: "channel", channel: "team", op: "send_message", args, ...more } as const,
  ],
});

/** Publishes the body, delivers one message and returns the ended run with its step. */
async function answer(body: object, text: string, secrets: Record<string, string> = {}) {
  const { id } = await ann.create({ name: "Answer", body });
  for (const [name, value] of Object.entries(secrets)) await ann.setSecret(id, name, value);
  await ann.publish(id, 1);
  await flows.chat.deliver(team, fakeMessage(crypto.randomUUID(), { text }));
  const run = await waitFor(async () => {
    const [first] = await flows.listEvents(id);
    return first && /succeeded|failed|waiting/.test(first.state) ? first : null;
  });
  await ann.disable(id);
  return { ...run, steps: await listSteps(flows.hub.services.store.db, run.id) };
}

test("A channel node sends a message as the owner, once for each item", async () => {
  flows.chat.sent.length = 0;
  const body = answering(
    { channel_id: "{{.Item}}", text: "You said {{.Event.Payload.text}}" },
    { for_each: '{{fromJSON "[\\"C1\\",\\"C2\\"]"}}' },
  );
  const run = await answer(body, "hi");
  expect(run.state).toBe("succeeded");
  expect(flows.chat.sent.toSorted((a, b) => (a.channelId < b.channelId ? -1 : 1))).toEqual([
    { channelId: "C1", text: "You said hi" },
    { channelId: "C2", text: "You said hi" },
  ]);
});

test("A secret never leaves in a message: a token stays a token, and a plaintext becomes one", async () => {
  flows.chat.sent.length = 0;
  const text = "{{.Secret.KEY}} and t0ken-of-the-chat-9fK2xQ7vLm4R and plain-secret-text";
  const run = await answer(answering({ channel_id: "C1", text }), "hi", {
    KEY: "plain-secret-text",
  });
  expect(run.state).toBe("succeeded");
  const [sent] = flows.chat.sent;
  expect(sent?.text).toMatch(/^hub_enc_\S+ and hub_enc_\S+ and hub_enc_\S+$/);
  expect(JSON.stringify([run, sent])).not.toMatch(
    /plain-secret-text|t0ken-of-the-chat-9fK2xQ7vLm4R/,
  );
});

test("A channel that the owner no longer sees is absent for a node", async () => {
  const { id } = await ann.create({
    name: "Answer",
    body: answering({ channel_id: "C1", text: "x" }),
  });
  await ann.publish(id, 1);
  await flows.admin.rows.set(team, { tags: ["board"] });
  expect((await ann.validate(id)).problems).toMatchObject([
    { path: "/triggers/0/channel", message: 'The owner of the workflow sees no channel "team".' },
    { path: "/nodes/0/channel" },
  ]);
  await flows.admin.rows.set(team, { tags: ["ops"] });
  await ann.disable(id);
});

test("Publishing names each mistake of a channel trigger and node, with what is near", async () => {
  const listProblems = async (trigger: object, node: object = {}) => {
    const body = answering({ channel_id: "C1", text: "x" }, node);
    const [first] = body.triggers ?? [];
    const { id } = await ann.create({
      name: "Wrong",
      body: { ...body, triggers: [{ ...first, ...trigger }] },
    });
    const { problems } = await ann.validate(id);
    await expect(ann.publish(id, 1)).rejects.toMatchObject({ code: "bad_request" });
    return problems.map(({ path, message, hint }) => [path, `${message} ${hint}`]);
  };
  expect(await listProblems({ channel: "taem" })).toEqual([
    ["/triggers/0/channel", expect.stringMatching(/sees no channel "taem".*team/)],
  ]);
  // A hidden channel is no other than one that does not exist.
  expect(await listProblems({ channel: "hidden" })).toEqual([
    ["/triggers/0/channel", expect.stringMatching(/sees no channel "hidden"/)],
  ]);
  expect(await listProblems({ event: "mesage" })).toEqual([
    ["/triggers/0/event", expect.stringMatching(/no event "mesage".*message/)],
  ]);
  expect(await listProblems({ match: { channel_id: ["C1"] } })).toEqual([
    ["/triggers/0/match/channel_id", expect.stringMatching(/Did you mean "channel_ids"/)],
  ]);
  expect(await listProblems({ match: { users: 5 } })).toEqual([
    ["/triggers/0/match/users", expect.stringMatching(/array of rows/)],
  ]);
  expect(await listProblems({ match: { text_contains: "ab".repeat(101) } })).toEqual([
    ["/triggers/0/match/text_contains", expect.stringMatching(/at most 200 characters/)],
  ]);
  expect(await listProblems({}, { op: "send_mesage" })).toEqual([
    ["/nodes/0/op", expect.stringMatching(/no action "send_mesage".*send_message/)],
  ]);
  expect(await listProblems({}, { args: { channel_id: "C1", txt: "x" } })).toEqual([
    ["/nodes/0/args/txt", expect.stringMatching(/no param "txt".*text/)],
    ["/nodes/0/args/text", expect.stringMatching(/is required/)],
  ]);
});

test("A template that reads what the event never has is warned of", async () => {
  const body = answering({ channel_id: "C1", text: "{{.Event.Payload.txt}}" });
  const { id } = await ann.create({ name: "Misread", body });
  expect((await ann.validate(id)).problems).toMatchObject([
    { severity: "warning", message: "No trigger that leads to the node gives .Event.Payload.txt." },
  ]);
});
