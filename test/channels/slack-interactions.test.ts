/** Messages, buttons and modals of the Slack connector, and the events of their use. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  createGuardedFetch,
  readConfig,
  runHealth,
  runLookup,
  testOperation,
} from "@hub/connector";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { slackEvents } from "../../packages/server/src/channels/slack/events/slack-events.ts";
import { readDelivery } from "../../packages/server/src/channels/slack/read-delivery.ts";
import { slackAdapter } from "../../packages/server/src/channels/slack/slack-adapter.ts";
import { slackConnector } from "../../packages/server/src/channels/slack/slack-connector.ts";
import type { Delivery } from "../support/slack-emulator/deliveries.ts";
import {
  type SlackEmulator,
  startSlackEmulator,
} from "../support/slack-emulator/slack-emulator.ts";
import type { SlackChannel, SlackUser } from "../support/slack-emulator/workspace.ts";
import { openSlackChannel, toRow } from "./slack-channel.ts";

let slack: SlackEmulator;
let ada: SlackUser;
let ops: SlackChannel;
/** Faults that a test makes on purpose. */
let expectedFaults: string[];

beforeEach(() => {
  slack = startSlackEmulator();
  expectedFaults = [];
  ada = slack.workspace.addUser("ada", { realName: "Ada Lovelace" });
  ops = slack.workspace.addChannel("ops", { members: [ada] });
});

afterEach(async () => {
  expect(slack.workspace.faults).toEqual(expectedFaults);
  await slack[Symbol.asyncDispose]();
});

const toTools = () => {
  const policy = { savedHosts: [new URL(slack.apiUrl).host], allow: [] };
  const silent = () => {};
  return {
    fetch: createGuardedFetch({ policy }),
    signal: new AbortController().signal,
    mask: silent,
    maskIgnoreCase: silent,
    log: { debug: silent, info: silent, warn: silent, error: silent },
  };
};

/** Calls an operation as a hub does, with the outbound guard. */
async function run(key: string, params: Record<string, unknown>) {
  const config = toRow(slack);
  const result = await testOperation(slackConnector, key, { config, params, tools: toTools() });
  return Object(result);
}

const refusalOf = async (call: Promise<unknown>) =>
  String(
    await call.then(
      () => "no refusal",
      (error: unknown) => error,
    ),
  );

function eventOf(delivery: Delivery | null | undefined) {
  if (!delivery) throw new Error("Nothing was delivered.");
  const { events } = readDelivery(
    { account: null, includeEdits: false },
    delivery.kind,
    delivery.payload,
  );
  const [event] = events;
  const type = slackEvents.find(({ id }) => id === event?.event);
  expect(type?.payload.safeParse(event?.payload).error).toBeUndefined();
  return { event: event?.event, ...Object(event?.payload) };
}

const button = {
  type: "actions",
  elements: [
    {
      type: "button",
      action_id: "approve",
      value: "42",
      text: { type: "plain_text", text: "Yes" },
    },
  ],
};

const modal = {
  callback_id: "new_ticket",
  notify_on_close: true,
  private_metadata: "from-ops",
  title: { type: "plain_text", text: "New ticket" },
  submit: { type: "plain_text", text: "Create" },
  blocks: [
    {
      type: "input",
      block_id: "title_block",
      label: { type: "plain_text", text: "Title" },
      element: { type: "plain_text_input", action_id: "title" },
    },
  ],
};

test("A message is sent, answered in its thread, changed and reacted to", async () => {
  const sent = await run("send_message", { channel_id: ops.id, text: "# Deploy\n**web** & _db_" });
  expect(sent).toMatchObject({ ok: true, channel_id: ops.id, thread_ts: sent.ts });
  const [message] = ops.messages;
  expect(message?.text).toBe("*Deploy*\n*web* &amp; _db_");
  const reply = await run("reply", { channel_id: ops.id, thread_ts: sent.ts, text: "Done" });
  expect(reply.thread_ts).toBe(sent.ts);
  expect(ops.messages[1]?.threadTs).toBe(sent.ts);
  await run("update_message", { channel_id: ops.id, ts: sent.ts, text: "Deployed" });
  expect(ops.messages[0]?.text).toBe("Deployed");
  const reaction = { channel_id: ops.id, ts: sent.ts, name: ":tada:" };
  await run("add_reaction", reaction);
  expect(await run("add_reaction", reaction)).toMatchObject({ ok: true, name: "tada" });
  const dm = await run("open_dm", { users: ada.id });
  await run("send_message", { channel_id: dm.channel_id, text: "Hi", thread_ts: "" });
  expect(slack.workspace.channels.get(dm.channel_id)?.messages).toHaveLength(1);
});

test("Texts of strangers notify no one unless the call asks for it", async () => {
  const text = "<!channel> <@U1> <https://evil.example|good> & x";
  await run("send_message", { channel_id: ops.id, text });
  expect(ops.messages[0]?.text).toBe(
    "&lt;!channel&gt; &lt;@U1&gt; &lt;https://evil.example|good&gt; &amp; x",
  );
  await run("send_message", { channel_id: ops.id, text, mentions: true });
  expect(ops.messages[1]?.text).toBe("<!channel> <@U1> &lt;https://evil.example|good&gt; &amp; x");
  await run("send_message", { channel_id: ops.id, text: "*a* <!here>", format: "plain" });
  expect(slack.calls.at(-1)?.args).toMatchObject({ text: "*a* &lt;!here&gt;", mrkdwn: "false" });
  await run("send_message", { channel_id: ops.id, text: "<!here> *a*", format: "mrkdwn" });
  expect(slack.calls.at(-1)?.args).toMatchObject({ text: "<!here> *a*", unfurl_links: "false" });
});

test("A button of a message is block_action, and respond answers it", async () => {
  const sent = await run("send_message", { channel_id: ops.id, text: "Deploy?", blocks: [button] });
  const [message] = ops.messages;
  if (!message) throw new Error("No message.");
  const delivery = slack.act({ on: message, user: ada, actionId: "approve" });
  const event = eventOf(delivery);
  expect(event).toMatchObject({
    event: "block_action",
    action_id: "approve",
    value: "42",
    user: ada.id,
    channel_id: ops.id,
    ts: sent.ts,
    thread_ts: sent.ts,
    text: "Deploy?",
    view_id: null,
  });
  await run("respond", {
    response_url: event.response_url,
    text: "Approved by **Ada**",
    replace_original: true,
    blocks: [],
  });
  expect(ops.messages[0]?.text).toBe("Approved by *Ada*");
  await run("respond", { response_url: event.response_url, delete_original: true });
  expect(ops.messages).toEqual([]);
  for (let uses = 0; uses < 3; uses += 1)
    await run("respond", { response_url: event.response_url, text: "x" });
  expect(
    await refusalOf(run("respond", { response_url: event.response_url, text: "x" })),
  ).toInclude("five times within 30 minutes");
});

test("respond answers only at Slack", async () => {
  for (const url of [
    "http://169.254.169.254/latest",
    "https://hooks.slack.com.evil.example/x",
    "https://hooks.slack.com@evil.example/x",
    "https://evil.example/hooks.slack.com",
    "file:///etc/passwd",
    "nothing",
  ]) {
    expect(await refusalOf(run("respond", { response_url: url, text: "x" }))).toInclude(
      "must be the response_url of an event of Slack",
    );
  }
});

test("A modal is opened, changed, submitted and closed", async () => {
  const command = slack.command({ channel: ops, user: ada, command: "/ticket" });
  const { trigger_id } = eventOf(command);
  const opened = await run("open_modal", { trigger_id, view: modal });
  const view = slack.workspace.views.get(opened.view_id);
  if (!view) throw new Error("No view.");
  const changed = await run("update_modal", {
    view_id: opened.view_id,
    view: modal,
    hash: opened.view_hash,
  });
  expect(changed.view_id).toBe(opened.view_id);
  const stale = { view_id: opened.view_id, view: modal, hash: opened.view_hash };
  expect(await refusalOf(run("update_modal", stale))).toInclude("The view has changed since");

  const values = { title_block: { title: { type: "plain_text_input", value: "Fire" } } };
  const submission = slack.submit(view, values);
  expect(eventOf(submission)).toMatchObject({
    event: "view_submission",
    callback_id: "new_ticket",
    private_metadata: "from-ops",
    fields: { title: "Fire" },
    state: values,
    view_id: opened.view_id,
  });
  expect(eventOf(slack.close(view, { isCleared: true }))).toMatchObject({
    event: "view_closed",
    callback_id: "new_ticket",
    is_cleared: true,
  });
  const home = { type: "home", blocks: [{ type: "divider" }] };
  expect(await run("publish_home", { user: ada.id, view: home })).toMatchObject({ ok: true });
});

test("An old trigger id is refused with what to do", async () => {
  const { trigger_id } = eventOf(slack.command({ channel: ops, user: ada, command: "/ticket" }));
  slack.expireTriggers();
  expect(await refusalOf(run("open_modal", { trigger_id, view: modal }))).toInclude(
    "expired_trigger_id. A trigger_id works once, within three seconds",
  );
});

test("Refusals say what Slack says and what to do next", async () => {
  const secretChannel = slack.workspace.addChannel("secret", { withBot: false });
  const send = (params: object) => run("send_message", { channel_id: ops.id, ...params });
  expect(await refusalOf(send({ channel_id: secretChannel.id, text: "x" }))).toInclude(
    "not_in_channel. The bot is not in the channel. Invite it there with /invite.",
  );
  expect(await refusalOf(send({ text: " " }))).toInclude("text is needed, or blocks");
  expect(await refusalOf(send({ text: "a".repeat(40_001) }))).toInclude("is longer than 40000");
  expect(await refusalOf(send({ text: "&".repeat(20_000) }))).toInclude("is longer than 40000");
  expect(await refusalOf(send({ text: "x", thread_ts: "yesterday" }))).toInclude("must be the ts");
  expect(await refusalOf(send({ text: "x", blocks: [{ type: "nope" }] }))).toInclude(
    "invalid_blocks. Check the blocks",
  );
  slack.workspace.botScopes.delete("reactions:write");
  const [message] = slack.post({ channel: ops, user: ada, text: "x" }) && ops.messages;
  const reaction = { channel_id: ops.id, ts: message?.ts ?? "", name: "eyes" };
  expect(await refusalOf(run("add_reaction", reaction))).toInclude(
    "The app lacks the scope reactions:write",
  );
  slack.revoke(slack.workspace.botToken);
  expect(await refusalOf(send({ text: "x" }))).toInclude("An admin must set a valid bot token");
});

test("The hub's own answer is sent as it is written", async () => {
  const dm = slack.workspace.openDirectMessage([ada]);
  const message = { channelId: dm.id, text: "*Linked* <!here> & https://hub.example" };
  await slackAdapter.sendText(openSlackChannel(slack), message);
  expect(slack.callsOf("chat.postMessage").at(-1)?.args).toMatchObject({
    text: "*Linked* &lt;!here&gt; &amp; https://hub.example",
    mrkdwn: "false",
  });
});

test("The rate limit is waited for, and named if it lasts too long", async () => {
  slack.limitRate("chat.postMessage", { retryAfterS: 0, times: 2 });
  await run("send_message", { channel_id: ops.id, text: "x" });
  expect(ops.messages).toHaveLength(1);
  slack.limitRate("chat.postMessage", { retryAfterS: 3_600 });
  expect(await refusalOf(run("send_message", { channel_id: ops.id, text: "x" }))).toInclude(
    "Try again in 3600 s.",
  );
  slack.breakCalls("chat.update");
  const [message] = ops.messages;
  const change = { channel_id: ops.id, ts: message?.ts ?? "", text: "y" };
  expect(await refusalOf(run("update_message", change))).toInclude("http_status_503");
});

test("The health check names the workspace, the bot and missing scopes", async () => {
  const check = (change: Record<string, string> = {}) =>
    runHealth(
      slackConnector,
      { config: readConfig(slackConnector.configFields, toRow(slack, change)) },
      toTools(),
    );
  expect(await check()).toEqual({ ok: true, reason: "@hubbot of the workspace Emulated." });
  slack.workspace.botScopes.delete("users:read");
  expect((await check()).reason).toEndWith("The app lacks scopes: users:read (for slack.users).");
  slack.workspace.botScopes.delete("chat:write");
  expect((await check()).ok).toBe(false);
  expect(await check({ app_token: "" })).toEqual({
    ok: false,
    reason: "Set the app token, which socket mode needs.",
  });
  slack.revoke(slack.workspace.botToken);
  expect(await check()).toMatchObject({ ok: false });
  const away = await check({ base_url: "http://127.0.0.1:9/api/" });
  expect(away.ok).toBe(false);
});

test("Look-ups find users, channels and groups, page by page and at most twenty", async () => {
  for (let number = 0; number < 450; number += 1) slack.workspace.addUser(`user${number}`);
  slack.workspace.addUser("gone", { deleted: true });
  slack.workspace.addChannel("secret", { kind: "group" });
  slack.workspace.addChannel("old").isArchived = true;
  slack.workspace.addUserGroup("oncall");
  const look = async (source: string, query: string) => {
    const config = readConfig(slackConnector.configFields, toRow(slack));
    const found = await runLookup(slackConnector, { config, source, query }, toTools());
    return found.map(({ name }) => name);
  };
  expect(await look("slack.users", "love")).toEqual(["Ada Lovelace (@ada)"]);
  expect(await look("slack.users", "user449")).toEqual(["@user449"]);
  expect(await look("slack.users", "")).toHaveLength(20);
  expect(await look("slack.users", "gone")).toEqual([]);
  expect(await look("slack.channels", "#")).toEqual(["#ops", "#secret (private)"]);
  expect(await look("slack.usergroups", "on")).toEqual(["oncall (@oncall)"]);
  expect(await look("users", "love")).toEqual(["Ada Lovelace (@ada)"]);
  expect(await look("channels", "#")).toEqual(["#ops", "#secret (private)"]);
  for (const source of ["constructor", "slack.", "slack.user", "fake.users", ""]) {
    await expect(look(source, "")).rejects.toThrow("slack.users, slack.channels, slack.usergroups");
  }
});

nightlyTest(
  "A look-up reads all names of a large workspace once, and goes on after a limit of Slack",
  async () => {
    for (let number = 0; number < 3_500; number += 1) slack.workspace.addUser(`user${number}`);
    const look = async (query: string) => {
      const config = readConfig(slackConnector.configFields, toRow(slack));
      const source = "slack.users";
      return (await runLookup(slackConnector, { config, source, query }, toTools())).map(
        ({ name }) => name,
      );
    };
    const pages = () => slack.callsOf("users.list").length;
    slack.limitRate("users.list", { retryAfterS: 1 });
    expect(await look("user1")).toHaveLength(20);
    // The limited call and the one after it.
    const before = pages();
    expect(await Promise.all([look("user3499"), look("USER3498"), look("no such user")])).toEqual([
      ["@user3499"],
      ["@user3498"],
      [],
    ]);
    expect(pages() - before).toBe(3);
    expect(await look("user2999")).toEqual(["@user2999"]);
    expect(pages() - before).toBe(3);
  },
);
