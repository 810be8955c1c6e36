/** What Slack delivers over Socket Mode, from its own envelopes to the events of the hub. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { ChatRefusal, ChatRetryLater } from "../../packages/server/src/channels/chat-adapter.ts";
import { slackEvents } from "../../packages/server/src/channels/slack/events/slack-events.ts";
import {
  type SlackEmulator,
  startSlackEmulator,
} from "../support/slack-emulator/slack-emulator.ts";
import type { SlackChannel, SlackUser } from "../support/slack-emulator/workspace.ts";
import { waitFor } from "../support/wait-for.ts";
import { type HeldSlack, holdSlack } from "./slack-channel.ts";

let slack: SlackEmulator;
let ada: SlackUser;
let ops: SlackChannel;
let owned: AsyncDisposableStack;

beforeEach(() => {
  owned = new AsyncDisposableStack();
  slack = owned.use(startSlackEmulator());
  ada = slack.workspace.addUser("ada", { realName: "Ada Lovelace" });
  ops = slack.workspace.addChannel("ops", { members: [ada] });
});

afterEach(async () => {
  expect(slack.workspace.faults).toEqual([]);
  await owned.disposeAsync();
});

async function connect(change: Record<string, string> = {}): Promise<HeldSlack> {
  const held = owned.use(holdSlack(slack, change));
  await waitFor(() => held.accounts.length > 0);
  return held;
}

/** The events of all envelopes, each checked with the schema of its type. */
function eventsOf(held: HeldSlack) {
  return held.envelopes.flatMap(({ events }) =>
    events.map(({ event, payload }) => {
      const type = slackEvents.find(({ id }) => id === event);
      expect(type?.payload.safeParse(payload).error).toBeUndefined();
      return { event, ...payload };
    }),
  );
}

const names = (held: HeldSlack) =>
  held.envelopes.map(({ events }) => events.map(({ event }) => event));

test("Each event type has a sample of its schema", () => {
  for (const { id, payload, sample } of slackEvents) {
    expect([id, payload.safeParse(sample).error]).toEqual([id, undefined]);
  }
  expect(slackEvents.map(({ id }) => id)).toEqual([
    "message",
    "thread_started",
    "app_mention",
    "command",
    "block_action",
    "view_submission",
    "shortcut",
    "app_home_opened",
    "view_closed",
  ]);
});

test("A top-level message is message and thread_started, a reply is message only", async () => {
  const held = await connect();
  const post = slack.post({
    channel: ops,
    user: ada,
    text: "a &amp; b <https://x.example|x.example>",
  });
  slack.post({ channel: ops, user: ada, text: "More", thread: post.message });
  slack.post({ channel: ops, user: ada, text: "All", thread: post.message, isBroadcast: true });
  await waitFor(() => held.envelopes.length === 3);
  expect(names(held)).toEqual([["message", "thread_started"], ["message"], ["message"]]);
  const [first, , reply] = eventsOf(held);
  const { ts } = post.message;
  expect(first).toMatchObject({
    user: ada.id,
    channel_id: ops.id,
    channel_type: "channel",
    is_dm: false,
    ts,
    thread_ts: ts,
    is_reply: false,
    text: "a & b https://x.example",
  });
  expect(reply).toMatchObject({ thread_ts: ts, is_reply: true });
  expect(held.envelopes[0]).toMatchObject({
    from: "person",
    sender: { teamId: slack.workspace.teamId, userId: ada.id },
    direct: null,
  });
  await Promise.all(slack.all.map(({ outcome }) => outcome));
});

test("A direct message is a message that the hub can link with", async () => {
  const held = await connect();
  const dm = slack.workspace.openDirectMessage([ada]);
  slack.post({ channel: dm, user: ada, text: "ABCD-1234" });
  await waitFor(() => held.envelopes.length === 1);
  expect(held.envelopes[0]?.direct).toEqual({ channelId: dm.id, text: "ABCD-1234" });
  expect(eventsOf(held)[0]).toMatchObject({ is_dm: true, channel_type: "im" });
});

test("A mention is its own event, with the text after it", async () => {
  const held = await connect();
  slack.post({ channel: ops, user: ada, text: `<@${slack.workspace.bot.id}> deploy web` });
  await waitFor(() => held.envelopes.length === 2);
  const mention = eventsOf(held).find(({ event }) => event === "app_mention");
  expect(mention).toMatchObject({ text_after_mention: "deploy web", user: ada.id });
});

test("Messages of the bot itself and of other bots are marked", async () => {
  const held = await connect();
  slack.postAsApp({ channel: ops, text: "Build is red" });
  slack.postAsApp({ channel: ops, text: "Build is green", isLegacy: true });
  const api = `${slack.apiUrl}chat.postMessage`;
  await fetch(api, {
    method: "POST",
    headers: { authorization: `Bearer ${slack.workspace.botToken}` },
    body: new URLSearchParams({ channel: ops.id, text: "Own" }),
  });
  await waitFor(() => held.envelopes.length === 3);
  expect(held.envelopes.map(({ from }) => from)).toEqual(["bot", "bot", "self"]);
  expect(held.envelopes.every(({ direct }) => direct === null)).toBe(true);
});

test("Edits and deletions are no events unless the row includes edits", async () => {
  const held = await connect();
  const { message } = slack.post({ channel: ops, user: ada, text: "Helo" });
  slack.edit(message, "Hello");
  slack.remove(message);
  await waitFor(() => held.envelopes.length === 3);
  expect(names(held)).toEqual([["message", "thread_started"], [], []]);
  await held.stop();

  const second = await connect({ include_edits: "true" });
  const again = slack.post({ channel: ops, user: ada, text: "Helo" });
  slack.edit(again.message, "Hello");
  // Slack's own change, such as the preview of a link.
  slack.change(again.message, ada, { attachments: [{ fallback: "preview" }], edited: null });
  slack.remove(again.message);
  await waitFor(() => second.envelopes.length === 4);
  expect(names(second)).toEqual([["message", "thread_started"], ["message"], [], []]);
  expect(eventsOf(second)[2]).toMatchObject({ is_edited: true, text: "Hello" });
});

test("Commands, shortcuts and the home page are events, each with its id", async () => {
  const held = await connect();
  slack.command({ channel: ops, user: ada, command: "/deploy", text: "web" });
  slack.shortcut({ user: ada, callbackId: "make_ticket" });
  const { message } = slack.post({ channel: ops, user: ada, text: "Fire" });
  slack.messageShortcut({ message, user: ada, callbackId: "make_ticket" });
  slack.openHome(ada);
  await waitFor(() => held.envelopes.length === 5);
  const events = eventsOf(held);
  expect(events.map(({ event }) => event)).toEqual([
    "command",
    "shortcut",
    "message",
    "thread_started",
    "shortcut",
    "app_home_opened",
  ]);
  expect(events[0]).toMatchObject({ command: "/deploy", text: "web", user_name: "ada" });
  expect(events[1]).toMatchObject({
    callback_id: "make_ticket",
    channel_id: null,
    is_message: false,
  });
  expect(events[4]).toMatchObject({ is_message: true, text: "Fire", ts: message.ts });
  expect(new Set(held.envelopes.map(({ id }) => id)).size).toBe(5);
  const [command] = slack.all;
  expect(await command?.outcome).toEqual({ state: "acknowledged", answer: null });
});

test("What was not stored is not acknowledged, and comes again with the same id", async () => {
  const held = await connect();
  held.onReceive(() => Promise.reject(new Error("The disk is full.")));
  slack.post({ channel: ops, user: ada, text: "Deploy" });
  await waitFor(() => held.logs.length === 1);
  const [delivery] = slack.all;
  expect(delivery?.attempts.map(({ state }) => state)).toEqual(["sent"]);
  held.onReceive(async () => {});
  slack.workspace.clock.advance(4_000);
  await waitFor(() => held.envelopes.length === 1);
  expect(await delivery?.outcome).toMatchObject({ state: "acknowledged" });
  expect(held.envelopes[0]?.id).toBe(delivery?.eventId ?? "");
});

test("Events that come twice or out of order keep their ids and places", async () => {
  const held = await connect();
  slack.setTwice(true);
  slack.hold();
  slack.post({ channel: ops, user: ada, text: "one" });
  slack.post({ channel: ops, user: ada, text: "two" });
  slack.release("reversed");
  await waitFor(() => held.envelopes.length === 4);
  expect(new Set(held.envelopes.map(({ id }) => id)).size).toBe(2);
  expect(eventsOf(held)[0]).toMatchObject({ text: "two" });
});

test("An old connection is renewed at once, and a cut one is taken up by the hub", async () => {
  const held = await connect();
  slack.workspace.clock.advance(60_000);
  slack.disconnect("refresh_requested");
  await waitFor(() => held.accounts.length === 2);
  expect(held.reconnections).toEqual([]);
  slack.post({ channel: ops, user: ada, text: "after" });
  await waitFor(() => held.envelopes.length === 1);
  // Both connections are gone, and the second one too soon: the hub waits before the next one.
  slack.drop();
  expect(await held.ended).toEqual(new Error("Slack closed the connection."));
});

test("An event that arrives while the connection stops is stored and acknowledged", async () => {
  const held = await connect();
  const { promise: isStored, resolve } = Promise.withResolvers<void>();
  const { promise: hasBegun, resolve: begin } = Promise.withResolvers<void>();
  held.onReceive(() => {
    begin();
    return isStored;
  });
  slack.post({ channel: ops, user: ada, text: "late" });
  await hasBegun;
  const stopped = held.stop();
  resolve();
  await stopped;
  expect(held.envelopes).toHaveLength(1);
  expect(await slack.all[0]?.outcome).toMatchObject({ state: "acknowledged" });
  expect(await held.ended).toBeUndefined();
  expect(slack.connections()).toBe(0);
});

test("A revoked token ends the channel with what to do, and 429 with the time", async () => {
  slack.revoke(slack.workspace.appToken);
  const refused = await owned.use(holdSlack(slack)).ended;
  expect(refused).toBeInstanceOf(ChatRefusal);
  expect(refused?.message).toInclude("token_revoked");
  slack.restore(slack.workspace.appToken);
  slack.revoke(slack.workspace.botToken, "account_inactive");
  expect(await owned.use(holdSlack(slack)).ended).toBeInstanceOf(ChatRefusal);
  slack.restore(slack.workspace.botToken);

  slack.limitRate("apps.connections.open", { retryAfterS: 7 });
  const limited = await owned.use(holdSlack(slack)).ended;
  expect(limited).toBeInstanceOf(ChatRetryLater);
  expect(limited).toMatchObject({ retryAfterMs: 7_000 });
  slack.breakCalls("auth.test");
  const broken = await owned.use(holdSlack(slack)).ended;
  expect(broken).not.toBeInstanceOf(ChatRefusal);
  expect(broken?.message).toInclude("503");
});

test("A refusal names the token that Slack does not accept", async () => {
  slack.revoke(slack.workspace.appToken);
  const withoutApp = await owned.use(holdSlack(slack)).ended;
  expect(withoutApp?.message).toEndWith("An admin must set a valid app token in the row.");
  slack.revoke(slack.workspace.botToken);
  const withoutBot = await owned.use(holdSlack(slack)).ended;
  expect(withoutBot?.message).toEndWith("An admin must set a valid bot token in the row.");
});

test("A revoked bot token ends the channel when Slack renews the connection", async () => {
  const held = await connect();
  slack.revoke(slack.workspace.botToken);
  slack.workspace.clock.advance(3_600_000);
  slack.disconnect("refresh_requested");
  const refused = await held.ended;
  expect(refused).toBeInstanceOf(ChatRefusal);
  expect(refused?.message).toInclude("valid bot token");
});

test("Socket mode without its token, or with swapped tokens, is refused before Slack is asked", async () => {
  const missing = await owned.use(holdSlack(slack, { app_token: "" })).ended;
  expect(missing).toEqual(new ChatRefusal("Set the app token, which socket mode needs."));
  const { botToken, appToken } = slack.workspace;
  const notBot = await owned.use(holdSlack(slack, { bot_token: appToken })).ended;
  expect(notBot?.message).toInclude("The value of the bot token is an app token.");
  const notApp = await owned.use(holdSlack(slack, { app_token: botToken })).ended;
  expect(notApp?.message).toInclude("The value of the app token is a bot token.");
  expect(slack.calls).toEqual([]);
});

test("A socket at another host is not opened, and other addresses pass the outbound guard", async () => {
  let socketUrl = "";
  using api = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(req) {
      const { pathname } = new URL(req.url);
      if (pathname === "/redirects/auth.test") return Response.redirect(slack.apiUrl, 307);
      if (pathname === "/api/auth.test")
        return Response.json({ ok: true, team_id: "T1", user_id: "U1" });
      return Response.json({ ok: true, url: socketUrl });
    },
  });
  const base_url = `http://127.0.0.1:${api.port}/api/`;
  const endOf = async (change: Record<string, string>) =>
    (await owned.use(holdSlack(slack, change, base_url)).ended)?.message;
  for (const url of ["ws://169.254.169.254/x", "wss://evil.example/", slack.apiUrl, "nothing"]) {
    socketUrl = url;
    expect(await endOf({ base_url })).toInclude("not of the host of the API");
  }
  // The row allows only its own host: the emulator is another one.
  expect(await endOf({})).toInclude("127.0.0.1");
  expect(await endOf({ base_url: base_url.replace("api", "redirects") })).toBeString();
  expect(slack.calls).toEqual([]);
});

test("Nothing that the adapter logs or throws has a token or a ticket", async () => {
  const held = await connect();
  held.onReceive(() => Promise.reject(new Error("no")));
  slack.post({ channel: ops, user: ada, text: "x" });
  await waitFor(() => held.logs.length === 1);
  slack.revoke(slack.workspace.appToken);
  const error = await held.ended;
  const shown = [...held.logs, String(error), String(error?.stack)].join("\n");
  for (const secret of ["xoxb-", "xapp-", "ticket", slack.workspace.signingSecret]) {
    expect(shown).not.toInclude(secret);
  }
});

test("A channel ends at once while Slack does not answer", async () => {
  const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<Response>();
  await using silent = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch() {
      ask();
      return answered;
    },
  });
  const url = `http://127.0.0.1:${silent.port}/api/`;
  const held = holdSlack(slack, { base_url: url }, url);
  await asked;
  await held.stop();
  expect(held.accounts).toEqual([]);
  answer(Response.json({ ok: true }));
});
