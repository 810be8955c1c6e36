/** What the hub writes to Telegram, and what it says when Telegram refuses. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { createGuardedFetch, testOperation, UpstreamError } from "@hub/connector";
import { telegramAdapter } from "@hub/server/channels/telegram/telegram-adapter.ts";
import { telegramConnector } from "@hub/server/channels/telegram/telegram-connector.ts";
import { openTestChannel } from "../support/hold-channel.ts";
import type { Bot } from "../support/telegram-emulator/bot.ts";
import type { Chat } from "../support/telegram-emulator/chat.ts";
import {
  type Failure,
  startTelegram,
  type TelegramEmulator,
} from "../support/telegram-emulator/start-telegram.ts";
import type { User } from "../support/telegram-emulator/types.ts";

let telegram: TelegramEmulator;
let bot: Bot;
let ada: User;
let chat: Chat;

beforeEach(() => {
  telegram = startTelegram();
  bot = telegram.addBot();
  ada = telegram.addUser({ first_name: "Ada", last_name: "Lovelace" });
  chat = telegram.privateChat(bot, ada);
});
afterEach(() => telegram[Symbol.asyncDispose]());

const toConfig = () => ({ token: bot.token, base_url: telegram.url });
const policy = { savedHosts: [], allow: ["127.0.0.1"] };

async function call(operation: string, params: Record<string, unknown>) {
  const tools = { fetch: createGuardedFetch({ policy }) };
  const place = operation === "answer_callback" ? {} : { channel_id: String(chat.id) };
  const given = { config: toConfig(), params: { ...place, ...params }, tools };
  return Object(await testOperation(telegramConnector, operation, given));
}

/** The error of a call, which never shows the token. */
async function failureOf(operation: string, params: Record<string, unknown>) {
  const failure = await call(operation, params).then(
    () => null,
    (error: unknown) => error,
  );
  if (!(failure instanceof Error)) throw new Error("The call did not fail.");
  expect(Bun.inspect(failure, { depth: 20 })).not.toContain(bot.token.split(":")[1] ?? "");
  return { ...failure, name: failure.name, message: failure.message };
}

const last = (of = chat) => [...of.messages.values()].at(-1);

test("Markdown is sent as text with styles, and what looks like markup stays text", async () => {
  const text = "Deploy **web** & <db> of [42](https://ci.test/42)? snake_case *open";
  const sent = await call("send_message", { text });
  expect(last()).toMatchObject({
    text: "Deploy web & <db> of 42? snake_case *open",
    entities: [
      { type: "bold", offset: 7, length: 3 },
      { type: "text_link", offset: 21, length: 2, url: "https://ci.test/42" },
    ],
  });
  const ts = String(last()?.message_id);
  expect(sent).toEqual({ ok: true, channel_id: String(chat.id), ts, thread_ts: ts, all_ts: [ts] });
  await call("send_message", { text: "**not bold**", format: "plain", silent: true });
  expect(last()?.text).toBe("**not bold**");
  expect(telegram.callsOf("sendMessage")[1]?.params.disable_notification).toBe(true);
  expect(telegram.faults).toEqual([]);
});

test("A long text becomes several messages, and the last one has the buttons", async () => {
  const buttons = [
    { text: "Yes", command: "/approve 42" },
    { text: "Log", url: "https://ci.test/42" },
  ];
  const text = `**${"word ".repeat(1_500).trim()}**`;
  const { all_ts: ids } = await call("send_message", { text, buttons });
  const messages = [...chat.messages.values()];
  expect(ids).toEqual(messages.map(({ message_id: id }) => String(id)));
  expect(messages.map(({ reply_markup: markup }) => markup?.inline_keyboard)).toEqual([
    undefined,
    [
      [
        { text: "Yes", callback_data: "/approve 42" },
        { text: "Log", url: "https://ci.test/42" },
      ],
    ],
  ]);
  expect(messages.every(({ entities }) => entities?.[0]?.type === "bold")).toBe(true);
  const tooLong = await failureOf("send_message", { text: "x".repeat(41_000) });
  expect(tooLong.message).toContain("at most 40960 characters");
});

test("A thread is a topic where the group has topics, and a reply elsewhere", async () => {
  const forum = telegram.addChat({ type: "supergroup", title: "Releases", is_forum: true });
  forum.bots.set(bot.id, "member");
  const topic = forum.createTopic("Builds", ada);
  const channel_id = String(forum.id);
  await call("send_message", { channel_id, text: "in the topic", thread_ts: String(topic) });
  expect(last(forum)).toMatchObject({ message_thread_id: topic, is_topic_message: true });

  const question = telegram.say({ from: ada, in: chat, text: "Is it green?" });
  const ts = String(question.message_id);
  await call("send_message", { text: "Yes", thread_ts: ts });
  expect(last()?.reply_to_message?.text).toBe("Is it green?");
  await call("reply", { text: "It is *green*", thread_ts: ts });
  expect(last()).toMatchObject({
    text: "It is green",
    reply_to_message: { message_id: question.message_id },
  });
  await call("reply", { text: "to nothing", thread_ts: "999999" });
  expect(last()?.reply_to_message).toBeUndefined();
  expect(telegram.faults).toEqual([]);
});

test("A message of the bot is edited, also if it is like this before", async () => {
  const { ts } = await call("send_message", {
    text: "Deploy?",
    buttons: [[{ text: "Yes", command: "approve" }]],
  });
  expect(last()?.reply_markup?.inline_keyboard[0]?.[0]?.callback_data).toBe("/approve");
  const edit = { ts, text: "**Deployed**" };
  expect(await call("edit_message", edit)).toMatchObject({ ts, changed: true });
  expect(last()).toMatchObject({ text: "Deployed", entities: [{ type: "bold" }] });
  expect(last()?.reply_markup).toBeUndefined();
  expect(await call("edit_message", edit)).toMatchObject({ changed: false });
  const long = await failureOf("edit_message", { ts, text: "x".repeat(4_097) });
  expect(long.message).toContain("at most 4096 characters");
  const foreign = telegram.say({ from: ada, in: chat, text: "mine" });
  const refused = await failureOf("edit_message", { ts: String(foreign.message_id), text: "x" });
  expect(refused).toMatchObject({ httpStatus: 400 });
});

test("A pressed button is answered once", async () => {
  await call("send_message", { text: "?", buttons: [{ text: "Yes", command: "/approve" }] });
  const message = last();
  if (message === undefined) throw new Error("No message.");
  const query = telegram.click({ by: ada, in: chat, message, data: "/approve" });
  const answer = { callback_id: query.id, text: "On it", show_alert: true };
  expect(await call("answer_callback", answer)).toEqual({ ok: true });
  expect(telegram.world.answeredQueries).toMatchObject([{ text: "On it", showAlert: true }]);
  const again = await failureOf("answer_callback", answer);
  expect(again.message).toContain("within a few seconds, and once");
});

test("A group that became a supergroup gets the message there", async () => {
  const group = telegram.addChat({ type: "group", title: "Team" });
  group.bots.set(bot.id, "member");
  const supergroup = telegram.upgrade(group, ada);
  const sent = await call("send_message", { channel_id: String(group.id), text: "moved" });
  expect(last(supergroup)?.text).toBe("moved");
  expect(sent.channel_id).toBe(String(supergroup.id));
});

test("A refusal has Telegram's words, its status and advice", async () => {
  const stranger = telegram.addUser();
  const cases: [Record<string, unknown>, string, number | undefined][] = [
    [{ channel_id: "-100999", text: "x" }, "chat not found. Check channel_id", 400],
    [{ channel_id: String(stranger.id), text: "x" }, "users who started it", 403],
    [{ channel_id: "general", text: "x" }, "channel_id must be the id of a chat", undefined],
    [{ text: " \n" }, "text", undefined],
    [{ text: "x", buttons: [{ text: "Yes" }] }, "buttons must be a list", undefined],
    [
      { text: "x", buttons: [{ text: "Yes", command: "x".repeat(64) }] },
      "at most 64 bytes",
      undefined,
    ],
  ];
  for (const [params, words, status] of cases) {
    const failure = await failureOf("send_message", params);
    expect(failure.message).toContain(words);
    expect("httpStatus" in failure ? failure.httpStatus : undefined).toBe(status);
  }
  telegram.failNext("sendMessage", { retryAfterS: 7 });
  const limited = await failureOf("send_message", { text: "x" });
  expect(limited).toMatchObject({ httpStatus: 429, body: { retry_after: 7 } });
  expect(limited.message).toContain("Wait 7 s");
  bot.revoke();
  const revoked = await failureOf("send_message", { text: "x" });
  expect(revoked.message).toContain("Ask an admin to set a new one");
});

test("A failure after the first messages says how many were sent, and cannot be repeated by itself", async () => {
  const text = "x ".repeat(3_000);
  telegram.failNext("sendMessage", "lose answer");
  const unknown = await failureOf("send_message", { text });
  expect(unknown).not.toHaveProperty("isUnsent", true);

  const failure = await sendLimited(text, { retryAfterS: 300 });
  expect(String(failure)).toContain("Only 1 of 2 messages was sent.");
  expect(failure).toMatchObject({ httpStatus: undefined, retryAfterS: undefined });
});

/** Sends a text whose second message is refused, some times. Returns the answer or the failure. */
async function sendLimited(text: string, how: Failure, times = 1): Promise<unknown> {
  let calls = 0;
  const guarded = createGuardedFetch({ policy });
  const fetch = (...given: Parameters<typeof guarded>) => {
    calls += 1;
    if (calls === 2) telegram.failNext("sendMessage", how, times);
    return guarded(...given);
  };
  return await testOperation(telegramConnector, "send_message", {
    config: toConfig(),
    params: { channel_id: String(chat.id), text },
    tools: { fetch },
  }).catch((error: unknown) => error);
}

test("A message that Telegram's limit refuses after others waits, and none is sent twice", async () => {
  const text = "x ".repeat(5_000);
  const sent = Object(await sendLimited(text, { retryAfterS: 0 }, 3));
  const messages = [...chat.messages.values()];
  expect(messages.map((message) => String(message.message_id))).toEqual(sent.all_ts);
  expect(messages.map((message) => message.text).join(" ")).toBe(text.trim());
  expect(telegram.callsOf("sendMessage")).toHaveLength(3 + 3);
});

test("A limit that does not end is a failure that names the messages that were sent", async () => {
  const failure = await sendLimited("x ".repeat(5_000), { retryAfterS: 0 }, 1_000);
  const [first] = [...chat.messages.values()];
  expect(chat.messages.size).toBe(1);
  if (!(failure instanceof UpstreamError)) throw new Error("The call did not fail.");
  expect(failure.message).toContain("Only 1 of 3 messages was sent.");
  expect(failure.body).toMatchObject({
    sent: 1,
    of: 3,
    all_ts: [String(first?.message_id)],
    retry_after: 0,
  });
});

test("The health check names the bot, and a look-up finds chats by id and public name", async () => {
  const values = { Token: bot.token, BaseURL: telegram.url, Mode: "polling" };
  const silent = () => {};
  const tools = {
    config: values,
    signal: new AbortController().signal,
    mask: silent,
    maskIgnoreCase: silent,
    fetch: createGuardedFetch({ policy }),
    log: { debug: silent, info: silent, warn: silent, error: silent },
  };
  expect(await telegramConnector.health?.(tools)).toEqual({
    ok: true,
    reason: `The bot is @${bot.user.username}.`,
  });
  const news = telegram.addChat({ type: "channel", title: "News", username: "hub_news" });
  news.bots.set(bot.id, "administrator");
  const find = async (query: string, source = "telegram.chats") =>
    await telegramConnector.lookup?.({ ...tools, source, query });
  expect(await find("@hub_news")).toEqual([{ id: String(news.id), name: "News" }]);
  expect(await find(String(ada.id), "telegram.users")).toEqual([
    { id: String(ada.id), name: "Ada Lovelace" },
  ]);
  expect(await find("-100777")).toEqual([{ id: "-100777", name: "-100777" }]);
  expect(await find("news")).toEqual([]);
  bot.revoke();
  const health = await telegramConnector.health?.(tools);
  expect(health).toMatchObject({ ok: false, reason: expect.stringContaining("bot's token") });
});

test("The adapter answers a person as the bot", async () => {
  const { channel } = openTestChannel({
    definition: telegramConnector,
    adapter: telegramAdapter,
    config: toConfig(),
  });
  await telegramAdapter.sendText(channel, { channelId: String(chat.id), text: "*as it is*" });
  expect(last()?.text).toBe("*as it is*");
});
