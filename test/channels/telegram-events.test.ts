/** What Telegram sends becomes events of the hub, once each, whatever happens to the connection. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  type ChatEnvelope,
  ChatRefusal,
  ChatRetryLater,
} from "@hub/server/channels/chat-adapter.ts";
import { telegramAdapter } from "@hub/server/channels/telegram/telegram-adapter.ts";
import { telegramConnector } from "@hub/server/channels/telegram/telegram-connector.ts";
import { HubError } from "@hub/server/errors.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { type HeldChannel, holdTestChannel, openTestChannel } from "../support/hold-channel.ts";
import type { Bot } from "../support/telegram-emulator/bot.ts";
import {
  startTelegram,
  type TelegramEmulator,
} from "../support/telegram-emulator/start-telegram.ts";
import { waitFor } from "../support/wait-for.ts";

let telegram: TelegramEmulator;
let bot: Bot;
let owned: AsyncDisposableStack;

beforeEach(() => {
  owned = new AsyncDisposableStack();
  telegram = startTelegram({ plainWebhooks: true, webhookRetryMs: 1 });
  owned.use(telegram);
  bot = telegram.addBot({ username: "Hub_Bot" });
});
afterEach(() => owned.disposeAsync());

const toConfig = (config: Record<string, string>) => ({
  token: bot.token,
  base_url: telegram.url,
  ...config,
});

function hold(
  config: Record<string, string> = {},
  options: Partial<Parameters<typeof holdTestChannel>[0]> = {},
): HeldChannel {
  const held = holdTestChannel({
    definition: telegramConnector,
    adapter: telegramAdapter,
    config: toConfig(config),
    ...options,
  });
  owned.defer(() => held.stop());
  return held;
}

/** Resolves when the condition holds. Throws why the connection ended, if it ended before. */
async function arrive(held: HeldChannel, holds: () => boolean): Promise<void> {
  let reason: unknown = null;
  void held.ended.then((ended) => {
    reason = ended;
  });
  await waitFor(() => holds() || reason !== null);
  if (reason !== null) throw reason;
}

const polling = () => telegram.until(() => bot.isPolling);
const texts = (envelopes: readonly ChatEnvelope[]) =>
  envelopes.flatMap(({ events }) => events.map(({ payload }) => payload.text));

test("A message of a person has the shared payload, in direct chats, groups and topics", async () => {
  const held = hold();
  const ada = telegram.addUser({ first_name: "Ada", last_name: "Lovelace" });
  const direct = telegram.privateChat(bot, ada);
  const forum = telegram.addChat({ type: "supergroup", title: "Releases", is_forum: true });
  forum.bots.set(bot.id, "administrator");
  const topic = forum.createTopic("Builds", ada);
  const first = telegram.say({ from: ada, in: direct, text: "hello" });
  telegram.say({ from: ada, in: direct, text: "an answer", replyTo: first });
  telegram.say({ from: ada, in: forum, text: "in a topic", topic });
  telegram.say({ from: ada, in: forum, content: { new_chat_members: [ada] } });
  const photo = [{ file_id: "small" }, { file_id: "large", file_size: 12 }];
  telegram.say({ from: ada, in: direct, content: { photo, caption: "Look" } });
  await arrive(held, () => held.envelopes.length === 5);

  const [hello, answer, inTopic, service, picture] = held.envelopes;
  expect(hello).toMatchObject({
    from: "person",
    direct: { channelId: String(direct.id), text: "hello" },
    sender: { teamId: null, userId: String(ada.id), userName: "Ada Lovelace" },
  });
  expect(hello?.events).toEqual([
    {
      event: "message",
      payload: {
        user: String(ada.id),
        user_name: "Ada Lovelace",
        text: "hello",
        files: [],
        channel_id: String(direct.id),
        channel_type: "private",
        channel_name: "Ada Lovelace",
        is_dm: true,
        is_edited: false,
        is_reply: false,
        thread_ts: String(first.message_id),
        ts: String(first.message_id),
        sent_at: expect.any(String),
      },
    },
  ]);
  expect(answer?.events[0]?.payload.thread_ts).toBe(String(first.message_id));
  expect(inTopic?.direct).toBeNull();
  expect(inTopic?.events[0]?.payload).toMatchObject({
    thread_ts: String(topic),
    channel_type: "supergroup",
    channel_name: "Releases",
    channel_id: String(forum.id),
    is_dm: false,
  });
  expect(service?.events).toEqual([]);
  expect(picture?.events[0]?.payload).toMatchObject({
    text: "Look",
    files: [{ kind: "photo", id: "large", size: 12, name: null, mimetype: null }],
  });
  expect(telegram.faults).toEqual([]);
});

test("Every payload matches the schema of its event, as the samples do", async () => {
  expect(telegramAdapter.events.map(({ id }) => id)).toEqual(["message", "command"]);
  for (const { payload, sample } of telegramAdapter.events) payload.parse(sample);
  const held = hold({ include_edits: "true" });
  const ada = telegram.addUser();
  const chat = telegram.privateChat(bot, ada);
  const message = telegram.say({ from: ada, in: chat, text: "one" });
  telegram.edit(chat, message, "two");
  telegram.say({ from: ada, in: chat, text: "/deploy web" });
  await arrive(held, () => held.envelopes.length === 3);
  const arrived = held.envelopes.flatMap(({ events }) => events);
  expect(arrived.map(({ event }) => event)).toEqual(["message", "message", "command"]);
  for (const { event, payload } of arrived) {
    const known = telegramAdapter.events.find(({ id }) => id === event);
    expect(known?.payload.safeParse(payload).error).toBeUndefined();
  }
});

test("Commands for this bot and pressed buttons are commands, and no messages", async () => {
  const held = hold();
  const ada = telegram.addUser();
  const group = telegram.addChat({ type: "supergroup", title: "Releases" });
  group.bots.set(bot.id, "administrator");
  const say = (text: string) => telegram.say({ from: ada, in: group, text });
  say("/deploy web now");
  say("/deploy@hub_bot api");
  say("/deploy@other_bot db");
  say("please /deploy");
  const question = group.add({
    from: bot.user,
    text: "Deploy?",
    reply_markup: {
      inline_keyboard: [[{ text: "Yes", callback_data: "/approve 42" }]],
    },
  });
  const query = telegram.click({ by: ada, in: group, message: question, data: "/approve 42" });
  await arrive(held, () => held.envelopes.length === 5);
  const shown = held.envelopes.map(({ events }) =>
    events.map(({ event, payload }) => [event, payload.command, payload.text, payload.callback_id]),
  );
  expect(shown).toEqual([
    [["command", "/deploy", "web now", null]],
    [["command", "/deploy", "api", null]],
    [],
    [["message", undefined, "please /deploy", undefined]],
    [["command", "/approve", "42", query.id]],
  ]);
  expect(held.envelopes[4]?.events[0]?.payload).toMatchObject({
    ts: String(question.message_id),
    channel_id: String(group.id),
    user: String(ada.id),
  });
  expect(held.envelopes[4]?.sender?.userId).toBe(String(ada.id));
});

test("Bots are told apart from people, and anonymous administrators are people", async () => {
  const held = hold();
  const group = telegram.addChat({ type: "supergroup", title: "Releases" });
  group.bots.set(bot.id, "administrator");
  const other = telegram.addBot().user;
  const anonymous = { id: 1_087_968_824, is_bot: true, first_name: "Group" };
  telegram.say({ from: other, in: group, text: "of a bot" });
  const sender_chat = group.info;
  telegram.say({ from: anonymous, in: group, text: "anonymous", content: { sender_chat } });
  telegram.say({ from: telegram.addUser(), in: group, text: "of a person" });
  await arrive(held, () => held.envelopes.length === 3);
  expect(held.envelopes.map(({ from, sender }) => [from, sender !== null])).toEqual([
    ["bot", false],
    ["person", false],
    ["person", true],
  ]);
  expect(held.envelopes[1]?.events[0]?.payload.user).toBe(String(group.id));
  const { readUpdate } = await import("@hub/server/channels/telegram/events/read-update.ts");
  const { updateSchema } = await import("@hub/server/channels/telegram/events/update.ts");
  const own = { message_id: 1, date: 1, chat: group.info, from: bot.user, text: "own" };
  const update = updateSchema.parse({ update_id: 1, message: own });
  expect(readUpdate(update, { id: String(bot.id), name: null }).from).toBe("self");
});

test("Edits and posts in channels are events if the row says so", async () => {
  const ada = telegram.addUser();
  const chat = telegram.privateChat(bot, ada);
  const channel = telegram.addChat({ type: "channel", title: "News" });
  channel.bots.set(bot.id, "administrator");
  const act = () => {
    const message = telegram.say({ from: ada, in: chat, text: "one" });
    telegram.edit(chat, message, "two");
    telegram.say({ from: ada, in: channel, text: "post" });
    telegram.edit(chat, telegram.say({ from: ada, in: chat, text: "/run" }), "/run again");
    telegram.say({ from: ada, in: chat, text: "end" });
  };
  const asked = (type: "channel_post" | "edited_message", isAsked: boolean) =>
    // Not the last request of the holder before, which asks for other types.
    telegram.until(() => bot.isPolling && bot.allowedUpdates.includes(type) === isAsked);
  const few = hold({ channel_posts: "false" });
  await asked("channel_post", false);
  act();
  await arrive(few, () => texts(few.envelopes).includes("end"));
  expect(texts(few.envelopes)).toEqual(["one", "", "end"]);
  // Otherwise the next holder gets them again, because it has another store.
  await telegram.until(() => !bot.hasUpdates);
  await few.stop();
  await telegram.until(() => !bot.isPolling);

  const all = hold({ include_edits: "true" });
  await asked("edited_message", true);
  act();
  await arrive(all, () => texts(all.envelopes).includes("end"));
  const shown = all.envelopes.flatMap(({ events }) =>
    events.map(({ payload }) => [payload.text, payload.is_edited]),
  );
  expect(shown).toEqual([
    ["one", false],
    ["two", true],
    ["post", false],
    ["", undefined],
    ["end", false],
  ]);
  expect(all.envelopes[1]?.direct).toBeNull();
});

test("The offset is stored after the events, and an event that was not stored comes again", async () => {
  const ada = telegram.addUser();
  const chat = telegram.privateChat(bot, ada);
  for (const text of ["one", "two", "three"]) telegram.say({ from: ada, in: chat, text });
  const ids = bot.pending.map(({ update_id: id }) => id);
  const held = hold(
    {},
    {
      async store({ events }) {
        if (events[0]?.payload.text === "two") throw new Error("The disk is full.");
      },
    },
  );
  expect(await held.ended).toEqual(new Error("The disk is full."));
  expect(held.cursors.map((cursor) => cursor.split("@")[0])).toEqual([String(ids[1])]);

  // A killed server has stored the runs and not the offset.
  const next = hold({}, { cursor: held.cursors.at(-1) ?? null });
  await arrive(next, () => next.envelopes.length === 2);
  expect(texts(next.envelopes)).toEqual(["two", "three"]);
  expect(next.envelopes.map(({ id }) => Number(id))).toEqual(ids.slice(1));
  await telegram.until(() => bot.pending.length === 0);
});

test("Updates are stored in their order, also if they arrive twice or out of order", async () => {
  const ada = telegram.addUser();
  const chat = telegram.privateChat(bot, ada);
  for (const text of ["one", "two", "three"]) telegram.say({ from: ada, in: chat, text });
  bot.reverseNext();
  const held = hold();
  await arrive(held, () => held.envelopes.length === 3);
  expect(texts(held.envelopes)).toEqual(["one", "two", "three"]);
  await polling();
  bot.repeat(Number(held.envelopes[0]?.id));
  await arrive(held, () => held.envelopes.length === 4);
  expect(held.envelopes[3]?.id).toBe(String(held.envelopes[0]?.id));
});

test("After a week without updates, when the next id is lower, none is lost", async () => {
  const ada = telegram.addUser();
  const chat = telegram.privateChat(bot, ada);
  let now = Date.now();
  const first = hold({}, { now: () => now });
  telegram.say({ from: ada, in: chat, text: "one" });
  await arrive(first, () => first.cursors.length === 1);
  await telegram.until(() => bot.pending.length === 0);
  await first.stop();
  now += 7 * 24 * 3_600_000;
  bot.restartUpdateIds(17);
  telegram.say({ from: ada, in: chat, text: "two" });
  const second = hold({}, { now: () => now, cursor: first.cursors[0] ?? null });
  await arrive(second, () => second.envelopes.length === 1);
  expect(second.envelopes[0]?.id).toBe("17");
});

test("A lost connection ends the hold with its reason, and the next one goes on", async () => {
  const held = hold();
  await polling();
  await telegram.dropConnections();
  expect(String(await held.ended)).toMatch(/connection to 127\.0\.0\.1 broke|refused/);
  const next = hold({}, { cursor: held.cursors.at(-1) ?? null });
  const ada = telegram.addUser();
  telegram.say({ from: ada, in: telegram.privateChat(bot, ada), text: "back" });
  await arrive(next, () => next.envelopes.length === 1);
  telegram.failNext("getUpdates", "bad gateway");
  telegram.say({ from: ada, in: telegram.privateChat(bot, ada), text: "again" });
  expect(String(await next.ended)).toContain("no valid answer");
});

test("A refused token is a refusal, another program is an error, and 429 says when to go on", async () => {
  const held = hold();
  await polling();
  await telegram.pollFromElsewhere(bot);
  expect(String(await held.ended)).toContain("Another program receives this bot's messages");

  telegram.failNext("getMe", { retryAfterS: 7 });
  const later = await hold().ended;
  expect(later).toBeInstanceOf(ChatRetryLater);
  expect(later).toMatchObject({ retryAfterMs: 7_000 });

  const revoked = hold();
  await polling();
  bot.revoke();
  expect(await revoked.ended).toBeInstanceOf(ChatRefusal);
  expect(await hold({ token: "wrong" }).ended).toBeInstanceOf(ChatRefusal);
});

test("The token is in no error and no line of the log", async () => {
  const ends: unknown[] = [];
  const lines: string[] = [];
  const end = async (prepare: () => unknown) => {
    const held = hold();
    await prepare();
    ends.push(await held.ended);
    lines.push(...held.log);
  };
  await end(() => telegram.failNext("getMe", "drop"));
  await end(() => telegram.failNext("getMe", "bad gateway"));
  await end(() => telegram.failNext("getMe", { code: 500, description: "Internal" }));
  await telegram.goAway();
  await end(() => {});
  telegram.comeBack();
  await end(() => bot.revoke());
  const [, secret = ""] = bot.token.split(":");
  expect(ends).toHaveLength(5);
  expect(ends.every((reason) => reason instanceof Error)).toBe(true);
  expect(Bun.inspect(ends, { depth: 20 })).not.toContain(secret);
  expect(lines.join("\n")).not.toContain(secret);
});

test("A webhook gets events with the secret token only, and polling takes it down again", async () => {
  const options = { definition: telegramConnector, adapter: telegramAdapter };
  const config = toConfig({ mode: "webhook" });
  const { channel } = openTestChannel({ ...options, config });
  const envelopes: ChatEnvelope[] = [];
  const requests: { headers: Headers; raw: Uint8Array }[] = [];
  const hub = Bun.serve({
    port: 0,
    async fetch(request) {
      const read = { headers: request.headers, raw: await request.bytes() };
      requests.push(read);
      const { envelopes: found, answer } = await telegramAdapter.readRequest(channel, read);
      envelopes.push(...found);
      return new Response(null, { status: answer.status });
    },
  });
  owned.defer(() => hub.stop(true));
  expect(telegramAdapter.acceptsRequests(channel.config)).toBe(true);
  const held = hold({ mode: "webhook" }, { requestUrl: hub.url.href });
  await arrive(held, () => held.accounts.length === 1);
  const ada = telegram.addUser();
  const chat = telegram.privateChat(bot, ada);
  telegram.say({ from: ada, in: chat, text: "by webhook" });
  await waitFor(() => envelopes.length === 1);
  expect(texts(envelopes)).toEqual(["by webhook"]);

  const [request] = requests;
  if (request === undefined) throw new Error("Telegram sent nothing.");
  const { raw } = request;
  const read = (headers: Record<string, string>, body = raw) =>
    telegramAdapter.readRequest(channel, { headers: new Headers(headers), raw: body });
  const name = "x-telegram-bot-api-secret-token";
  const secret = request.headers.get(name) ?? "";
  const wrong: Record<string, string>[] = [
    {},
    { [name]: "" },
    { [name]: `${secret}0` },
    { [name]: bot.token },
  ];
  for (const headers of wrong) {
    await expect(read(headers)).rejects.toMatchObject({ code: "unauthorized" });
  }
  await expect(read({ [name]: secret }, Buffer.from("{"))).rejects.toBeInstanceOf(HubError);
  const strange = await read({ [name]: secret }, Buffer.from('{"update_id":"x"}'));
  const unreadable = "Missing or unexpected: update_id";
  expect(strange).toMatchObject({
    envelopes: [{ events: [], unreadable }],
    answer: { status: 200 },
  });
  await held.stop();

  const polled = hold();
  await polling();
  telegram.say({ from: ada, in: chat, text: "by polling" });
  await arrive(polled, () => polled.envelopes.length === 1);
  expect(bot.webhook).toBeNull();
  expect(telegram.faults).toEqual([]);
});

test("An address that Telegram cannot send to is a refusal that says what to do", async () => {
  await telegram[Symbol.asyncDispose]();
  telegram = startTelegram();
  owned.use(telegram);
  bot = telegram.addBot();
  const reason = await hold({ mode: "webhook" }, { requestUrl: "http://hub.test/x" }).ended;
  expect(reason).toBeInstanceOf(ChatRefusal);
  expect(String(reason)).toContain("public https base URL");
});

nightlyTest("A server that answers polls at once with nothing is asked once a second", async () => {
  let polls = 0;
  const answers: Record<string, unknown> = { getMe: bot.user, getWebhookInfo: { url: "" } };
  const server = Bun.serve({
    port: 0,
    fetch(request) {
      const method = new URL(request.url).pathname.split("/").at(-1) ?? "";
      if (method === "getUpdates") polls += 1;
      return Response.json({ ok: true, result: answers[method] ?? [] });
    },
  });
  owned.defer(() => server.stop(true));
  const startedAt = performance.now();
  const held = hold({ base_url: `http://127.0.0.1:${server.port}` });
  await arrive(held, () => polls >= 2);
  await held.stop();
  const elapsedMs = performance.now() - startedAt;
  expect(elapsedMs).toBeGreaterThan(990);
  // The first one is asked at once.
  expect(polls).toBeLessThanOrEqual(1 + elapsedMs / 990);
});
