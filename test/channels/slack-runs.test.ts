/** A hub with a Slack channel, from the platform's envelope to the run and its answer. */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { testOperation } from "@hub/connector";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { neededScopes } from "@hub/server/channels/slack/check-slack-health.ts";
import { slackConnector } from "@hub/server/channels/slack/slack-connector.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { showChannel } from "@hub/server/services/channels/manage-channels.ts";
import { listChannelStates } from "@hub/server/store/channels/channels-table.ts";
import { type ChannelHub, onEvent, openChannelHub } from "../support/channel-hub.ts";
import { queryDatabase } from "../support/query-database.ts";
import {
  type SlackEmulator,
  startSlackEmulator,
} from "../support/slack-emulator/slack-emulator.ts";
import type { SlackChannel, SlackUser } from "../support/slack-emulator/workspace.ts";
import { startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";
import { openWorkflowHub } from "../support/workflow-hub.ts";
import { toRow } from "./slack-channel.ts";

// Two servers start in one of the tests.
setDefaultTimeout(180_000);

let slack: SlackEmulator;
let flows: ChannelHub;
let owner: Awaited<ReturnType<ChannelHub["addOwner"]>>;
let rowId: string;
let ada: SlackUser;
let ops: SlackChannel;

beforeAll(async () => {
  slack = startSlackEmulator();
  ada = slack.workspace.addUser("ada");
  ops = slack.workspace.addChannel("ops", { members: [ada] });
  flows = await openChannelHub();
  owner = await flows.addOwner("ann", ["ops"]);
  const row = { connector: "slack", label: "Work", tags: ["ops"], values: toRow(slack) };
  ({ id: rowId } = await flows.admin.rows.add(row));
  await slack.connected();
});

afterAll(async () => {
  await flows[Symbol.asyncDispose]();
  await slack[Symbol.asyncDispose]();
});

afterEach(() => {
  expect(slack.workspace.faults).toEqual([]);
});

async function publish(body: WorkflowBodyInput): Promise<string> {
  const { id } = await owner.create({ name: "Said", body });
  await owner.publish(id, 1);
  return id;
}

const readState = async () => (await listChannelStates(flows.hub.services.store.db, [rowId]))[0];

test("A message starts a run once, however often it comes, and is acknowledged after the run is on disk", async () => {
  const threads = await publish(onEvent("work", {}, "thread_started"));
  const all = await publish(onEvent("slack", { channel_ids: [ops.id] }));
  slack.setTwice(true);
  const { message, deliveries } = slack.post({ channel: ops, user: ada, text: "Deploy <web>" });
  const { deliveries: replies } = slack.post({
    channel: ops,
    user: ada,
    text: "Now",
    thread: message,
  });
  slack.setTwice(false);
  for (const { outcome } of [...deliveries, ...replies]) {
    expect(await outcome).toEqual({ state: "acknowledged", answer: null });
  }
  const runs = await flows.listEvents(all);
  expect(runs.map(({ event }) => event.Payload)).toMatchObject([
    { text: "Deploy <web>", user: ada.id, thread_ts: message.ts, is_reply: false },
    { text: "Now", thread_ts: message.ts, is_reply: true },
  ]);
  expect(await flows.listEvents(threads)).toHaveLength(1);
  for (const delivery of deliveries) slack.repeat(delivery);
  await waitFor(() =>
    deliveries.every(({ attempts }) => attempts.at(-1)?.state === "acknowledged"),
  );
  expect(await flows.listEvents(all)).toHaveLength(2);
});

test("A command is answered in a thread and at its response_url, as the owner of the workflow", async () => {
  const call = (operation: string) => `conn:${rowId}/${operation}`;
  await publish({
    schema: 1,
    triggers: [
      {
        id: "asked",
        type: "channel",
        entry: "say",
        channel: "work",
        event: "command",
        match: { command: "deploy" },
      },
    ],
    nodes: [
      {
        id: "say",
        type: "operation",
        tool_id: call("send_message"),
        params: {
          channel_id: "{{.Event.Payload.channel_id}}",
          text: "<@{{.Event.Payload.user}}> deploys **{{.Event.Payload.text}}**",
        },
      },
      {
        id: "thread",
        type: "operation",
        tool_id: call("reply"),
        params: {
          channel_id: "{{.Node.say.channel_id}}",
          thread_ts: "{{.Node.say.ts}}",
          text: "done",
        },
      },
      {
        id: "tell",
        type: "operation",
        tool_id: call("respond"),
        params: { response_url: "{{.Event.Payload.response_url}}", text: "Look above" },
      },
    ],
    edges: [
      { from: "say", to: "thread" },
      { from: "thread", to: "tell" },
    ],
  });
  const before = ops.messages.length;
  const text = "web & <!channel>";
  const delivery = slack.command({ channel: ops, user: ada, command: "/deploy", text });
  expect(await delivery.outcome).toEqual({ state: "acknowledged", answer: null });
  await waitFor(() => ops.messages.length === before + 2);
  const [said, answer] = ops.messages.slice(before);
  expect(said?.text).toBe(`&lt;@${ada.id}&gt; deploys *web &amp; &lt;!channel&gt;*`);
  expect(answer).toMatchObject({ text: "done", threadTs: said?.ts });
});

test("While Slack takes long to answer a call, events are acknowledged, and the run waits for its answer", async () => {
  const id = await publish({
    schema: 1,
    triggers: [
      {
        id: "said",
        type: "channel",
        entry: "say",
        channel: "work",
        event: "message",
        match: { text_contains: "slowly" },
      },
    ],
    nodes: [
      {
        id: "say",
        type: "channel",
        channel: "work",
        op: "send_message",
        args: { channel_id: "{{.Event.Payload.channel_id}}", text: "at last" },
      },
    ],
    edges: [],
  });
  const release = slack.holdCalls("chat.postMessage");
  for (const text of ["slowly", "Slowly again"]) {
    const [delivery] = slack.post({ channel: ops, user: ada, text }).deliveries;
    expect(await delivery?.outcome).toMatchObject({ state: "acknowledged" });
  }
  const states = async () => (await flows.listEvents(id)).map(({ state }) => state);
  expect(await states()).not.toContain("succeeded");
  release();
  await waitFor(async () => (await states()).every((state) => state === "succeeded"));
  expect(ops.messages.filter(({ text }) => text === "at last")).toHaveLength(2);
});

test("The workflow of the guide answers a mention in a thread, and its manifest asks for what is used", async () => {
  const guide = await Bun.file(join(import.meta.dirname, "../../docs/guide/slack.md")).text();
  const block = (language: string) => guide.split(`\`\`\`${language}\n`)[1]?.split("```")[0] ?? "";
  await publish(JSON.parse(block("json")));
  const before = ops.messages.length;
  slack.post({ channel: ops, user: ada, text: `<@${slack.workspace.bot.id}> hello` });
  await waitFor(() => ops.messages.length === before + 2);
  const [asked, answer] = ops.messages.slice(before);
  expect(answer).toMatchObject({ text: "You said: *hello*", threadTs: asked?.ts });
  expect([...(asked?.reactions.keys() ?? [])]).toEqual(["eyes"]);

  const manifest = Object(Bun.YAML.parse(block("yaml")));
  const { bot_events } = manifest.settings.event_subscriptions;
  expect(new Set(bot_events)).toEqual(slack.workspace.subscriptions);
  const { bot } = manifest.oauth_config.scopes;
  expect(neededScopes.map(([scope]) => scope).filter((scope) => !bot.includes(scope))).toEqual([]);
});

test("Buttons, modals, shortcuts and the home page start the runs whose filters they match", async () => {
  const events: [event: string, match: object, other: object][] = [
    ["block_action", { action_ids: ["approve"] }, { action_ids: ["reject"] }],
    ["view_submission", { callback_ids: ["ticket"] }, { callback_ids: ["order"] }],
    ["view_closed", { callback_ids: ["ticket"] }, { callback_ids: ["order"] }],
    ["shortcut", { callback_ids: ["ticket"] }, { users: ["U0NOBODY"] }],
    ["app_home_opened", { users: [ada.id] }, { users: ["U0NOBODY"] }],
  ];
  const workflows = new Map<string, string>();
  const others: string[] = [];
  for (const [event, match, other] of events) {
    workflows.set(event, await publish(onEvent("work", { ...match }, event)));
    others.push(await publish(onEvent("work", { ...other }, event)));
  }
  const call = async (operation: string, params: Record<string, unknown>) =>
    Object(await testOperation(slackConnector, operation, { config: toRow(slack), params }));
  const text = { type: "plain_text", text: "Ticket" };
  const button = { type: "button", action_id: "approve", value: "7", text };
  const blocks = [{ type: "actions", elements: [button] }];
  await call("send_message", { channel_id: ops.id, text: "Approve?", blocks });
  const message = ops.messages.at(-1);
  if (!message) throw new Error("No message.");
  const acted = slack.act({ on: message, user: ada, actionId: "approve" });
  const view = { callback_id: "ticket", notify_on_close: true, title: text, blocks };
  const opened = await call("open_modal", { trigger_id: acted.payload.trigger_id, view });
  const modal = slack.workspace.views.get(opened.view_id);
  if (!modal) throw new Error("No modal.");
  const uses = [
    acted,
    slack.submit(modal),
    slack.close(modal),
    slack.shortcut({ user: ada, callbackId: "ticket" }),
    slack.messageShortcut({ message, user: ada, callbackId: "ticket" }),
    ...slack.openHome(ada),
  ];
  for (const use of uses) expect(await use?.outcome).toMatchObject({ state: "acknowledged" });
  const payloads = async (event: string) =>
    (await flows.listEvents(workflows.get(event) ?? "")).map(({ event }) => event.Payload);
  expect(await payloads("block_action")).toMatchObject([{ value: "7", ts: message.ts }]);
  expect(await payloads("view_submission")).toMatchObject([{ view_id: opened.view_id }]);
  expect(await payloads("view_closed")).toMatchObject([{ user: ada.id, is_cleared: false }]);
  expect(await payloads("shortcut")).toMatchObject([{ is_message: false }, { text: "Approve?" }]);
  expect(await payloads("app_home_opened")).toMatchObject([{ tab: "home" }]);
  for (const id of others) expect(await flows.listEvents(id)).toEqual([]);
});

nightlyTest(
  "An event of an unknown form is acknowledged, and shown as a failed delivery without its content",
  async () => {
    const event = { type: "message", channel: 7, text: "secret words" };
    const callback = { type: "event_callback", event_id: "EvUnknown", event };
    const strange = [
      slack.deliver("events_api", callback),
      slack.deliver("interactive", { type: "block_actions", user: { id: ada.id } }),
    ];
    for (const { outcome } of strange)
      expect(await outcome).toMatchObject({ state: "acknowledged" });
    const { services } = flows.hub;
    const failures = await waitFor(async () => {
      const { recent } = await showChannel(services, rowId, { baseUrl: flows.url });
      const found = recent.filter(({ failure }) => failure === "unreadable");
      return found.length === 2 ? found : null;
    });
    expect(failures).toMatchObject([
      { events: [], runs: 0 },
      { events: [], runs: 0 },
    ]);
    expect((await readState())?.recent).not.toContain("secret words");
  },
);

test("In http mode Slack checks the address, signed requests start runs, and others are refused", async () => {
  await using platform = startSlackEmulator();
  const user = platform.workspace.addUser("ben");
  const channel = platform.workspace.addChannel("web", { members: [user] });
  const values = toRow(platform, { mode: "http", app_token: "" });
  const row = { connector: "slack", label: "Web", tags: ["ops"], values };
  const { id } = await flows.admin.rows.add(row);
  const runs = await publish(onEvent("web"));
  const commands = await publish(onEvent("web", { command: "/hub" }, "command"));
  const url = `${flows.url}/channels/web/events`;
  await platform.useHttp(url);

  const [delivery] = platform.post({ channel, user, text: "by HTTP" }).deliveries;
  if (!delivery) throw new Error("Nothing was delivered.");
  expect(await delivery.outcome).toEqual({ state: "acknowledged", answer: null });
  const command = platform.command({ channel, user, command: "/hub", text: "go" });
  expect(await command.outcome).toEqual({ state: "acknowledged", answer: null });
  expect((await flows.listEvents(commands)).map(({ event }) => event.Payload.text)).toEqual(["go"]);

  const send = async (request: { headers: Record<string, string>; body: string }) =>
    (await fetch(url, { method: "POST", ...request })).status;
  for (const fault of ["missing", "wrong", "old"] as const) {
    expect([fault, await send(platform.toRequest(delivery, fault))]).toEqual([fault, 401]);
  }
  expect(await send(platform.toRequest(delivery))).toBe(200);
  expect((await flows.listEvents(runs)).map(({ event }) => event.Payload.text)).toEqual([
    "by HTTP",
  ]);
  expect(await send(platform.sign('{"event_id":"Ev1","text":"secret words"}'))).toBe(400);
  const { services } = flows.hub;
  const show = () => showChannel(services, id, { baseUrl: flows.url });
  await waitFor(async () => (await show()).recent[0]?.failure === "unreadable");
  await flows.admin.rows.disable(id);
  expect(await send(platform.toRequest(delivery))).toBe(404);
  expect(platform.workspace.faults).toEqual([]);
});

nightlyTest(
  "The state shows the connection, a revoked token with what to do, and the connection again",
  async () => {
    expect(await readState()).toMatchObject({ state: "connected" });
    slack.revoke(slack.workspace.appToken);
    await waitFor(async () => (await readState())?.state === "failed");
    expect(JSON.stringify(await readState())).toInclude("token_revoked");
    slack.restore(slack.workspace.appToken);
    await flows.admin.rows.set(rowId, { values: { app_token: slack.workspace.appToken } });
    await slack.connected();
    await waitFor(async () => (await readState())?.state === "connected");
  },
);

test("No token of the row is in the database", async () => {
  const { dataDir } = flows;
  const glob = new Bun.Glob("**/*");
  const files = [...glob.scanSync({ cwd: dataDir, absolute: true, dot: true })];
  expect(files).not.toEqual([]);
  for (const file of files) {
    const bytes = Buffer.from(await Bun.file(file).arrayBuffer());
    const { botToken, appToken, signingSecret } = slack.workspace;
    for (const secret of [botToken, appToken, signingSecret]) {
      expect([file, bytes.includes(secret)]).toEqual([file, false]);
    }
  }
});

test("After a kill between acknowledgement and run, each event has one run, and each run goes on", async () => {
  await using platform = startSlackEmulator();
  const user = platform.workspace.addUser("ada");
  const channel = platform.workspace.addChannel("ops", { members: [user] });
  const released = Promise.withResolvers<void>();
  // The runs of acknowledged events are still on their way when the process dies.
  using outside = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch() {
      await released.promise;
      return new Response("done");
    },
  });
  const env = { HUB_WORKFLOW_OUTBOUND_ALLOW: "127.0.0.1" };
  await using first = await openWorkflowHub(await startHub({ env }));
  const added = await first.api("POST", "/manager/api/rows", {
    connector: "slack",
    label: "Work",
    values: toRow(platform),
  });
  expect(added.status).toBe(201);
  const body = onEvent("work");
  const id = await first.publish({
    ...body,
    nodes: [{ id: "done", type: "http", method: "GET", url: outside.url.href }],
  });
  await platform.connected();
  const deliveries = Array.from({ length: 30 }, (_, number) =>
    platform.post({ channel, user, text: `m${number}` }),
  ).flatMap((post) => post.deliveries);
  const isDone = () =>
    deliveries.filter(({ attempts }) => attempts.at(-1)?.state !== "sent").length;
  await waitFor(() => isDone() >= 5);
  await first.hub.kill();
  // The lease of the killed process would last for ten seconds.
  queryDatabase(first.hub.dataDir, "update channel_states set held_until = null");
  await using second = await startHub({ dataDir: first.hub.dataDir, env });
  await platform.connected();
  // Slack takes what was not acknowledged for lost, and sends it again.
  platform.workspace.clock.advance(4_000);
  await waitFor(() =>
    deliveries.every(({ attempts }) => attempts.some(({ state }) => state === "acknowledged")),
  );
  const { api } = await openWorkflowHub(second);
  const list = async () => {
    const { body } = await api("GET", `/manager/api/workflows/${id}/runs?limit=100`);
    return Array.isArray(body.runs) ? body.runs : [];
  };
  expect((await list()).filter(({ state }) => state === "succeeded")).toEqual([]);
  released.resolve();
  await waitFor(async () => (await list()).every(({ state }) => state === "succeeded"));
  expect(await list()).toHaveLength(30);
  expect(platform.workspace.faults).toEqual([]);
});
