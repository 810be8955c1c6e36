/** The emulator refuses what Slack's reference refuses, and Slack's own libraries work with it. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { SocketModeClient } from "@slack/socket-mode";
import { LogLevel, WebClient } from "@slack/web-api";
import {
  type SlackEmulator,
  startSlackEmulator,
} from "../support/slack-emulator/slack-emulator.ts";
import type { Workspace } from "../support/slack-emulator/workspace.ts";
import { waitFor } from "../support/wait-for.ts";

let slack: SlackEmulator;
let workspace: Workspace;
let web: WebClient;
let owned: AsyncDisposableStack;

beforeEach(() => {
  owned = new AsyncDisposableStack();
  slack = owned.use(startSlackEmulator());
  workspace = slack.workspace;
  web = new WebClient(workspace.botToken, {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
  });
});

afterEach(() => owned.disposeAsync());

const call = async (method: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(`${slack.apiUrl}${method}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${workspace.botToken}`,
      "content-type": "application/json; charset=utf-8",
      ...headers,
    },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  const answer = Object(await response.json());
  return { status: response.status, headers: response.headers, answer };
};

async function connectSocket() {
  const client = new SocketModeClient({
    appToken: workspace.appToken,
    clientOptions: { slackApiUrl: slack.apiUrl },
    logLevel: LogLevel.ERROR,
    clientPingTimeout: 50,
  });
  await client.start();
  owned.defer(() => client.disconnect());
  return client;
}

/** A connection without a library, and the first envelope that it gets. */
async function openSocket() {
  const { answer } = await call("apps.connections.open", "{}", {
    authorization: `Bearer ${workspace.appToken}`,
  });
  const socket = new WebSocket(String(answer.url));
  owned.defer(() => socket.close());
  const hello = Promise.withResolvers<void>();
  const envelope = Promise.withResolvers<{ envelope_id: string }>();
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data));
    if (message.type === "hello") hello.resolve();
    else envelope.resolve(message);
  };
  await hello.promise;
  return { socket, envelope: envelope.promise };
}

/** The next event of a client, as its listeners get it. */
const nextEvent = (client: SocketModeClient, name = "slack_event") =>
  new Promise<{ ack(answer?: unknown): Promise<void>; body: never; retry_num?: number }>(
    (resolve) => client.once(name, resolve),
  );

test("Slack's Web API library posts, replies, updates and reacts, and reads lists page by page", async () => {
  const ada = workspace.addUser("ada");
  const general = workspace.addChannel("general", { members: [ada] });
  const posted = await web.chat.postMessage({
    channel: general.id,
    text: "Deploy?",
    blocks: [
      {
        type: "actions",
        elements: [{ type: "button", action_id: "yes", text: { type: "plain_text", text: "Yes" } }],
      },
    ],
  });
  const ts = String(posted.ts);
  await web.chat.postMessage({ channel: general.id, text: "A reply", thread_ts: ts });
  await web.chat.update({ channel: general.id, ts, text: "Done", blocks: [] });
  await web.reactions.add({ channel: general.id, timestamp: ts, name: "eyes" });
  expect(general.messages.map(({ text, threadTs }) => [text, threadTs])).toEqual([
    ["Done", ts],
    ["A reply", ts],
  ]);

  const direct = await web.conversations.open({ users: ada.id });
  expect(direct.channel?.id).toStartWith("D");
  const names: string[] = [];
  for await (const page of web.paginate("users.list", { limit: 1 })) {
    names.push(...Object(page).members.map(({ name }: { name: string }) => name));
  }
  expect(names).toEqual(["hubbot", "ada"]);
  expect((await web.auth.test()).bot_id).toBe(workspace.botId);
  expect(workspace.faults).toEqual([]);
});

test("Slack's Socket Mode library gets events, acknowledges them, and gets them again after a lost connection", async () => {
  const ada = workspace.addUser("ada");
  const general = workspace.addChannel("general", { members: [ada] });
  const client = await connectSocket();

  const arrived = nextEvent(client);
  const { deliveries } = slack.post({ channel: general, user: ada, text: "Hello" });
  const event = await arrived;
  expect(event.body).toMatchObject({
    event: { user: ada.id, text: "Hello", channel_type: "channel" },
  });
  await event.ack();
  expect(await deliveries[0]?.outcome).toEqual({ state: "acknowledged", answer: null });

  slack.drop();
  const [lost] = slack.post({ channel: general, user: ada, text: "Again" }).deliveries;
  const second = nextEvent(client);
  await slack.connected();
  workspace.clock.advance(1_000);
  const repeated = await second;
  expect(repeated.retry_num).toBe(1);
  await repeated.ack();
  expect((await lost?.outcome)?.state).toBe("acknowledged");
  expect(workspace.faults).toEqual([]);
});

test("An envelope is acknowledged on the connection on which it was sent", async () => {
  const ada = workspace.addUser("ada");
  const general = workspace.addChannel("general", { members: [ada] });
  const sockets = [await openSocket(), await openSocket()];
  const arrived = sockets.map(({ envelope }) => envelope);
  const [first] = [0, 1].map(() =>
    slack.command({ channel: general, user: ada, command: "/deploy" }),
  );
  const ids = (await Promise.all(arrived)).map(({ envelope_id }) => envelope_id);
  expect(new Set(ids).size).toBe(2);
  sockets[1]?.socket.send(JSON.stringify({ envelope_id: ids[0] }));
  await first?.outcome;
  expect(workspace.faults).toEqual([
    `Socket Mode: the envelope ${ids[0]} was sent on another connection.`,
  ]);
});

test("Slack's Socket Mode library answers commands and views, and connects again when Slack asks for it", async () => {
  const ada = workspace.addUser("ada");
  const general = workspace.addChannel("general", { members: [ada] });
  const client = await connectSocket();

  const commands = nextEvent(client, "slash_commands");
  slack.command({ channel: general, user: ada, command: "/deploy", text: "now" });
  const command = await commands;
  const { trigger_id } = Object(command.body);
  const modal = {
    type: "modal" as const,
    callback_id: "deploy",
    title: { type: "plain_text" as const, text: "Deploy" },
    notify_on_close: true,
    blocks: [],
  };
  await web.views.open({ trigger_id, view: modal });
  await command.ack({ text: "Opened." });
  const view = [...workspace.views.values()][0];
  if (!view) throw new Error("The view was not opened.");

  const submissions = nextEvent(client, "interactive");
  const submitted = slack.submit(view);
  await (await submissions).ack({ response_action: "clear" });
  expect((await submitted.outcome).state).toBe("acknowledged");
  expect(view.isOpen).toBe(false);

  slack.disconnect("refresh_requested");
  const again = Promise.withResolvers<void>();
  client.once("connected", () => again.resolve());
  await again.promise;
  expect(workspace.faults).toEqual([]);
});

test("An event that is not acknowledged within three seconds is sent again three times, with the same id", async () => {
  const ada = workspace.addUser("ada");
  const general = workspace.addChannel("general", { members: [ada] });
  const received: string[] = [];
  const client = await connectSocket();
  client.on("slack_event", ({ body, retry_num }) => received.push(`${body.event_id} ${retry_num}`));
  const [delivery] = slack.post({ channel: general, user: ada, text: "Hello" }).deliveries;
  workspace.clock.advance(3_000 + 1_000 + 3_000 + 60_000 + 3_000 + 300_000 + 3_000);
  expect(await delivery?.outcome).toEqual({ state: "failed", reason: "timeout" });
  const last = nextEvent(client, "slash_commands");
  slack.command({ channel: general, user: ada, command: "/last" });
  await last;
  expect(received.slice(0, 4)).toEqual([0, 1, 2, 3].map((n) => `${delivery?.eventId} ${n}`));
});

test("Unknown arguments, wrong types, and calls without a token are refused and recorded", async () => {
  const general = workspace.addChannel("general");
  const refused: [string, unknown, Record<string, string>, string][] = [
    ["chat.postMessage", { channel: general.id, txt: "x" }, {}, "invalid_arg_name"],
    ["chat.postMessage", { channel: 1, text: "x" }, {}, "invalid_arguments"],
    ["chat.postMessage", { text: "x" }, {}, "invalid_arguments"],
    ["chat.postMessage", { channel: general.id, text: "x" }, { authorization: "" }, "not_authed"],
    ["chat.postMessage", "[]", {}, "json_not_object"],
    ["chat.postMessage", "x", { "content-type": "text/html" }, "invalid_post_type"],
    ["users.list", { limit: 1 }, {}, "invalid_arguments"],
    ["chat.shout", {}, {}, "unknown_method"],
    ["apps.connections.open", {}, {}, "not_allowed_token_type"],
  ];
  for (const [method, body, headers, error] of refused) {
    expect((await call(method, body, headers)).answer).toMatchObject({ ok: false, error });
  }
  expect(workspace.faults).toHaveLength(refused.length);
});

test("Errors of the published reference are answered, and are no faults", async () => {
  const ada = workspace.addUser("ada");
  const open = workspace.addChannel("open", { withBot: false });
  const secret = workspace.addChannel("secret", { kind: "group", withBot: false });
  const general = workspace.addChannel("general", { members: [ada] });
  const { message } = slack.post({ channel: general, user: ada, text: "x" });
  const channel = general.id;
  const section = { type: "section", text: { type: "mrkdwn", text: "x" } };
  const refused: [string, object, string][] = [
    ["chat.postMessage", { channel: "C0", text: "x" }, "channel_not_found"],
    ["chat.postMessage", { channel: secret.id, text: "x" }, "channel_not_found"],
    ["chat.postMessage", { channel: open.id, text: "x" }, "not_in_channel"],
    ["chat.postMessage", { channel }, "no_text"],
    ["chat.postMessage", { channel, text: "x".repeat(40_001) }, "msg_too_long"],
    ["chat.postMessage", { channel, blocks: {} }, "invalid_blocks_format"],
    ["chat.postMessage", { channel, blocks: Array(51).fill(section) }, "invalid_blocks"],
    ["chat.postMessage", { channel, blocks: [{ type: "shout" }] }, "invalid_blocks"],
    ["chat.postMessage", { channel, blocks: [{ ...section, loud: true }] }, "invalid_blocks"],
    [
      "chat.postMessage",
      { channel, blocks: [{ type: "section", text: { type: "mrkdwn", text: "x".repeat(3_001) } }] },
      "invalid_blocks",
    ],
    ["chat.update", { channel, ts: message.ts, text: "y" }, "cant_update_message"],
    ["chat.update", { channel, ts: "1000000000.000000", text: "y" }, "message_not_found"],
    ["reactions.add", { channel, timestamp: message.ts, name: ":eyes:" }, "invalid_name"],
    ["conversations.open", {}, "users_list_not_supplied"],
    ["conversations.open", { users: "U0" }, "user_not_found"],
    ["views.publish", { user_id: ada.id, view: { type: "modal" } }, "invalid_arguments"],
  ];
  for (const [method, body, error] of refused) {
    expect([method, body, (await call(method, body)).answer.error]).toEqual([method, body, error]);
  }
  await call("reactions.add", { channel, timestamp: message.ts, name: "eyes" });
  const twice = await call("reactions.add", { channel, timestamp: message.ts, name: "eyes" });
  expect(twice.answer).toEqual({ ok: false, error: "already_reacted" });
  expect(workspace.faults).toEqual([]);
});

test("A trigger id opens one view within three seconds", async () => {
  const ada = workspace.addUser("ada");
  const view = { type: "modal", title: { type: "plain_text", text: "T" }, blocks: [] };
  const open = async (trigger_id: string) =>
    (await call("views.open", { trigger_id, view })).answer.error;
  const trigger = workspace.newTrigger(ada.id);
  expect([await open(trigger), await open(trigger)]).toEqual([undefined, "exchanged_trigger_id"]);
  const late = workspace.newTrigger(ada.id);
  workspace.clock.advance(3_000);
  expect([await open(late), await open("1.2.3")]).toEqual([
    "expired_trigger_id",
    "invalid_trigger_id",
  ]);
});

test("A limited call is answered 429 with Retry-After, and a call before that is a fault", async () => {
  slack.limitRate("auth.test", { retryAfterS: 30 });
  const limited = await call("auth.test", {});
  expect([limited.status, limited.headers.get("retry-after"), limited.answer]).toEqual([
    429,
    "30",
    { ok: false, error: "ratelimited" },
  ]);
  expect((await call("auth.test", {})).status).toBe(429);
  expect(workspace.faults).toHaveLength(1);
});

test("A token without the scope, and a revoked token, are refused", async () => {
  workspace.botScopes.delete("users:read");
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const { answer } = await call("users.list", "", form);
  expect(answer).toMatchObject({ error: "missing_scope", needed: "users:read" });
  expect(answer.provided).toContain("chat:write");
  slack.revoke(workspace.botToken);
  expect((await call("auth.test", {})).answer.error).toBe("token_revoked");
});

test("Requests are signed, and events are sent again after a failure", async () => {
  const ada = workspace.addUser("ada");
  const general = workspace.addChannel("general", { members: [ada] });
  const requests: { headers: Headers; raw: string }[] = [];
  const statuses = [500, 200];
  const app = Bun.serve({
    port: 0,
    async fetch(request) {
      const raw = await request.text();
      const body = request.headers.get("content-type")?.includes("json") ? JSON.parse(raw) : {};
      if (body.type === "url_verification") return new Response(body.challenge);
      requests.push({ headers: request.headers, raw });
      return new Response(null, { status: statuses.shift() ?? 200 });
    },
  });
  owned.defer(() => app.stop(true));
  await slack.useHttp(app.url.href);
  const [delivery] = slack.post({ channel: general, user: ada, text: "Hello" }).deliveries;
  if (!delivery) throw new Error("Slack sends no event.");
  await waitFor(() => delivery.attempts[0]?.state === "failed");
  workspace.clock.advance(1_000);
  await delivery.outcome;
  const [first] = requests;
  const sent = `v0:${first?.headers.get("x-slack-request-timestamp")}:${first?.raw}`;
  const hmac = createHmac("sha256", workspace.signingSecret).update(sent).digest("hex");
  expect(first?.headers.get("x-slack-signature")).toBe(`v0=${hmac}`);
  expect(requests.at(-1)?.headers.get("x-slack-retry-num")).toBe("1");
  expect(requests.at(-1)?.headers.get("x-slack-retry-reason")).toBe("http_error");
});

test("What people do becomes the published events, in channels that the bot is in", async () => {
  const ada = workspace.addUser("ada");
  const general = workspace.addChannel("general", { members: [ada] });
  const elsewhere = workspace.addChannel("elsewhere", { members: [ada], withBot: false });
  const direct = workspace.openDirectMessage([ada]);
  const text = `<@${workspace.bot.id}> hi`;
  const { message } = slack.post({ channel: general, user: ada, text });
  slack.post({ channel: elsewhere, user: ada, text: "Not seen" });
  slack.post({ channel: direct, user: ada, text: "In private" });
  slack.post({ channel: general, user: ada, text: "Shown", thread: message, isBroadcast: true });
  slack.post({ channel: general, user: ada, text: "", files: ["notes.txt"] });
  slack.postAsApp({ channel: general, text: "Legacy", isLegacy: true });
  slack.edit(message, "Edited");
  slack.remove(message);
  slack.openHome(ada);
  const shown = slack.all.map(({ payload }) => {
    const { type, subtype, channel_type, channel } = Object(payload.event);
    return [type, subtype, channel_type, channel];
  });
  expect(shown).toEqual([
    ["message", undefined, "channel", general.id],
    ["app_mention", undefined, undefined, general.id],
    ["message", undefined, "im", direct.id],
    ["message", "thread_broadcast", "channel", general.id],
    ["message", "file_share", "channel", general.id],
    ["message", "bot_message", "channel", general.id],
    ["message", "message_changed", "channel", general.id],
    ["message", "message_deleted", "channel", general.id],
    ["app_home_opened", undefined, undefined, direct.id],
  ]);
});

test("A response URL works five times, and takes JSON only", async () => {
  const ada = workspace.addUser("ada");
  const general = workspace.addChannel("general", { members: [ada] });
  const { payload } = slack.command({ channel: general, user: ada, command: "/deploy" });
  const respond = async (body: object, type = "application/json") => {
    const headers = { "content-type": type };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return (await fetch(String(payload.response_url), init)).status;
  };
  expect(await respond({ text: "x" }, "text/plain")).toBe(400);
  expect(await respond({ txt: "x" })).toBe(400);
  expect(workspace.faults).toHaveLength(2);
  const statuses: number[] = [];
  for (let i = 0; i < 6; i += 1) {
    statuses.push(await respond({ text: `${i}`, response_type: "in_channel" }));
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 404]);
  expect(general.messages.map(({ text }) => text)).toEqual(["0", "1", "2", "3", "4"]);
});

test("A button of a message can be used as it was posted, and its message replaced", async () => {
  const ada = workspace.addUser("ada");
  const general = workspace.addChannel("general", { members: [ada] });
  const button = {
    type: "button",
    action_id: "approve",
    value: "42",
    text: { type: "plain_text", text: "Approve" },
  };
  const blocks = [{ type: "actions", elements: [button] }];
  await call("chat.postMessage", { channel: general.id, text: "Approve?", blocks });
  const [message] = general.messages;
  if (!message) throw new Error("Nothing was posted.");
  const { payload } = slack.act({ on: message, user: ada, actionId: "approve" });
  expect(payload).toMatchObject({
    type: "block_actions",
    user: { id: ada.id },
    channel: { id: general.id },
    container: { type: "message", message_ts: message.ts, channel_id: general.id },
    actions: [{ action_id: "approve", value: "42", block_id: "b0", type: "button" }],
  });
  const body = JSON.stringify({ text: "Approved", replace_original: true });
  const headers = { "content-type": "application/json" };
  await fetch(String(payload.response_url), { method: "POST", headers, body });
  expect(general.messages.map(({ text }) => text)).toEqual(["Approved"]);
  expect(() => slack.act({ on: message, user: ada, actionId: "other" })).toThrow("No element");
});
