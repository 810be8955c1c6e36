import { afterEach, beforeEach, expect, test } from "bun:test";
import { Api, Bot as GrammyBot, GrammyError, webhookCallback } from "grammy";
import {
  startTelegram,
  type TelegramEmulator,
} from "../support/telegram-emulator/start-telegram.ts";

// The emulator stands for the platform in the tests of the adapter. Here a client of others talks to
// it, and it refuses what the reference refuses.

let telegram: TelegramEmulator;

beforeEach(() => {
  telegram = startTelegram({ plainWebhooks: true, webhookRetryMs: 1 });
});
afterEach(() => telegram[Symbol.asyncDispose]());

function open(given: Parameters<TelegramEmulator["addBot"]>[0] = {}) {
  const bot = telegram.addBot(given);
  const ada = telegram.addUser({ first_name: "Ada", username: "ada_l" });
  const chat = telegram.privateChat(bot, ada);
  const api = new Api(bot.token, { apiRoot: telegram.url });
  return { bot, ada, chat, api };
}

/** The description of the error that a call ends with. */
async function refusalOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof GrammyError) return `${error.error_code} ${error.description}`;
    throw error;
  }
  throw new Error("The call was not refused.");
}

async function request(path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${telegram.url}${path}`, {
    method: "POST",
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  });
  // Safe: all answers of the emulator are objects.
  return (await response.json()) as Record<string, unknown>;
}

test("grammY polls the emulator, reads commands and callbacks, and answers", async () => {
  const { bot, ada, chat } = open();
  const client = new GrammyBot(bot.token, { client: { apiRoot: telegram.url } });
  client.command("deploy", (ctx) =>
    ctx.reply(`Deploy *${ctx.match}*?`, {
      parse_mode: "MarkdownV2",
      reply_parameters: { message_id: ctx.msg.message_id },
      reply_markup: { inline_keyboard: [[{ text: "Yes", callback_data: "yes" }]] },
    }),
  );
  client.callbackQuery("yes", async (ctx) => {
    await ctx.answerCallbackQuery("On it");
    await ctx.editMessageText("Deployed <b>now</b> &amp; here", { parse_mode: "HTML" });
  });
  const running = client.start();

  telegram.say({ from: ada, in: chat, text: "/deploy web" });
  await telegram.until(() => telegram.callsOf("sendMessage")[0]?.status === 200);
  const sent = [...chat.messages.values()].at(-1);
  expect(sent?.text).toBe("Deploy web?");
  expect(sent?.entities).toEqual([{ type: "bold", offset: 7, length: 3 }]);
  expect(sent?.reply_to_message?.text).toBe("/deploy web");
  if (sent === undefined) throw new Error("No message.");

  telegram.click({ by: ada, in: chat, message: sent, data: "yes" });
  await telegram.until(() => telegram.callsOf("editMessageText")[0]?.status === 200);
  expect(chat.messages.get(sent.message_id)?.text).toBe("Deployed now & here");
  expect(chat.messages.get(sent.message_id)?.reply_markup).toBeUndefined();
  expect(telegram.world.answeredQueries.map(({ text }) => text)).toEqual(["On it"]);

  await client.stop();
  await running;
  expect(bot.pending).toEqual([]);
  expect(telegram.faults).toEqual([]);
});

test("Unknown parameters, methods and wrong types are refused and recorded", async () => {
  const { bot, chat } = open();
  const path = `/bot${bot.token}/`;
  const send = (params: object) => request(`${path}sendMessage`, { chat_id: chat.id, ...params });
  expect(await send({ text: "a", colour: "red" })).toMatchObject({ ok: false, error_code: 400 });
  expect(await send({ text: 5 })).toMatchObject({ ok: false, error_code: 400 });
  expect(await send({ text: "a", reply_to_message_id: 1 })).toMatchObject({ ok: false });
  expect(await request(`${path}sendPigeon`)).toMatchObject({ error_code: 404 });
  expect(await request(`${path}getUpdates`, { timeout: "1" })).toMatchObject({ error_code: 400 });
  expect(telegram.faults).toHaveLength(5);
  // In a query, values are texts.
  expect(await request(`${path}getupdates?limit=5&allowed_updates=["message"]`)).toEqual({
    ok: true,
    result: [],
  });
  expect(telegram.faults).toHaveLength(5);
});

test("An update comes again until an offset past it confirms it", async () => {
  const { bot, ada, chat, api } = open();
  for (const text of ["one", "two", "three"]) telegram.say({ from: ada, in: chat, text });
  const first = await api.getUpdates({ limit: 2 });
  expect(first.map(({ message }) => message?.text)).toEqual(["one", "two"]);
  expect(await api.getUpdates({ limit: 2 })).toEqual(first);
  const [, two] = first;
  const rest = await api.getUpdates({ offset: (two?.update_id ?? 0) + 1 });
  expect(rest.map(({ message }) => message?.text)).toEqual(["three"]);
  expect(bot.pending).toHaveLength(1);

  bot.repeat(two?.update_id ?? 0);
  bot.reverseNext();
  const again = await api.getUpdates({ offset: rest[0]?.update_id ?? 0 });
  expect(again.map(({ message }) => message?.text)).toEqual(["three", "two"]);
  const last = await api.getUpdates({ offset: -1 });
  expect(last.map(({ message }) => message?.text)).toEqual(["three"]);
});

test("A long poll is answered by the next update, and only of the types that are asked for", async () => {
  const { bot, ada, chat, api } = open();
  const poll = api.getUpdates({ timeout: 50, allowed_updates: ["callback_query", "message"] });
  await telegram.until(() => bot.isPolling);
  const message = telegram.say({ from: ada, in: chat, text: "hello" });
  expect(await poll).toMatchObject([{ message: { text: "hello", chat: { type: "private" } } }]);
  telegram.edit(chat, message, "hello again");
  expect(bot.pending).toHaveLength(1);
  expect(telegram.faults).toEqual([]);
});

test("A second poller and a webhook end a poll with 409", async () => {
  const { bot, api } = open();
  const poll = refusalOf(api.getUpdates({ timeout: 50 }));
  await telegram.until(() => bot.isPolling);
  await telegram.pollFromElsewhere(bot);
  expect(await poll).toStartWith("409 Conflict: terminated by other getUpdates request");

  const next = refusalOf(api.getUpdates({ timeout: 50 }));
  await telegram.until(() => bot.isPolling);
  await api.setWebhook("http://127.0.0.1:9/hook");
  expect(await next).toBe("409 Conflict: terminated by setWebhook request");
  expect(await refusalOf(api.getUpdates())).toStartWith(
    "409 Conflict: can't use getUpdates method",
  );
  await api.deleteWebhook();
  expect(await api.getUpdates()).toEqual([]);
});

test("Texts are parsed as HTML and MarkdownV2, with the errors of the platform", async () => {
  const { chat, api } = open();
  const html = (text: string) => api.sendMessage(chat.id, text, { parse_mode: "HTML" });
  const markdown = (text: string) => api.sendMessage(chat.id, text, { parse_mode: "MarkdownV2" });

  const sent = await html(
    '<b>é <i>in</i></b> <a href="https://a.example/?x=1&amp;y=2">link</a> <pre><code class="language-ts">1 &lt; 2</code></pre>',
  );
  expect(sent.text).toBe("é in link 1 < 2");
  expect(sent.entities).toEqual([
    { type: "bold", offset: 0, length: 4 },
    { type: "italic", offset: 2, length: 2 },
    { type: "text_link", offset: 5, length: 4, url: "https://a.example/?x=1&y=2" },
    { type: "pre", offset: 10, length: 5, language: "ts" },
  ]);
  expect(await refusalOf(html("é<script>"))).toBe(
    `400 Bad Request: can't parse entities: Unsupported start tag "script" at byte offset 2`,
  );
  expect(await refusalOf(html("<b>a"))).toEndWith(`corresponding to start tag "b"`);
  expect(await refusalOf(html("<b><i>a</b></i>"))).toEndWith(`expected "</i>", found "</b>"`);
  expect(await refusalOf(html("a < b"))).toInclude("Unclosed start tag");

  const marked = await markdown(
    "*bold _both_* __under__ ||secret|| `a*b` [l](https://a.example/\\)) 1\\.\n>quoted\n>more\nafter",
  );
  expect(marked.text).toBe("bold both under secret a*b l 1.\nquoted\nmore\nafter");
  expect(marked.entities).toEqual([
    { type: "bold", offset: 0, length: 9 },
    { type: "italic", offset: 5, length: 4 },
    { type: "underline", offset: 10, length: 5 },
    { type: "spoiler", offset: 16, length: 6 },
    { type: "code", offset: 23, length: 3 },
    { type: "text_link", offset: 27, length: 1, url: "https://a.example/)" },
    { type: "blockquote", offset: 32, length: 11 },
  ]);
  expect(await refusalOf(markdown("a.b"))).toBe(
    "400 Bad Request: can't parse entities: Character '.' is reserved and must be escaped with the preceding '\\'",
  );
  expect(await refusalOf(markdown("é *a"))).toEndWith(
    "Can't find end of Bold entity at byte offset 3",
  );
  expect(await refusalOf(api.sendMessage(chat.id, "x", { parse_mode: "Markdown" }))).toInclude(
    "unsupported parse_mode",
  );
});

test("Messages, keyboards and edits have the platform's limits", async () => {
  const { chat, api } = open();
  const send = (text: string, data?: string) =>
    api.sendMessage(chat.id, text, {
      ...(data !== undefined && {
        reply_markup: { inline_keyboard: [[{ text: "a", callback_data: data }]] },
      }),
    });
  expect(await refusalOf(send("a".repeat(4097)))).toBe("400 Bad Request: message is too long");
  expect(await refusalOf(send(" \n"))).toBe("400 Bad Request: message text is empty");
  expect(await refusalOf(send("a", "é".repeat(33)))).toBe("400 Bad Request: BUTTON_DATA_INVALID");
  const { message_id } = await send("a".repeat(4096), "é".repeat(32));
  const same = api.editMessageText(chat.id, message_id, "a");
  await same;
  expect(await refusalOf(api.editMessageText(chat.id, message_id, "a"))).toInclude(
    "message is not modified",
  );
  expect(await refusalOf(api.editMessageText(chat.id, 1, "a"))).toInclude("to edit not found");
  const reply = (allow: boolean) =>
    api.sendMessage(chat.id, "a", {
      reply_parameters: { message_id: 1, allow_sending_without_reply: allow },
    });
  expect(await refusalOf(reply(false))).toInclude("message to be replied not found");
  expect((await reply(true)).reply_to_message).toBeUndefined();
  expect(await refusalOf(api.setMyCommands([{ command: "Up", description: "x" }]))).toInclude(
    "BOT_COMMAND_INVALID",
  );
});

test("Chats that the bot may not write to are refused as the platform refuses them", async () => {
  const { bot, ada, chat, api } = open();
  const send = (to: number | string, thread?: number) =>
    api.sendMessage(to, "a", { ...(thread !== undefined && { message_thread_id: thread }) });
  expect(await refusalOf(send(-42))).toBe("400 Bad Request: chat not found");
  expect(await refusalOf(send(telegram.addUser().id))).toInclude("can't initiate conversation");
  telegram.setMember({ by: ada, in: chat, bot, status: "kicked" });
  expect(await refusalOf(send(ada.id))).toBe("403 Forbidden: bot was blocked by the user");

  const group = telegram.addChat({ type: "group", title: "Team" });
  telegram.setMember({ by: ada, in: group, bot, status: "member" });
  await send(group.id);
  const forum = telegram.upgrade(group, ada);
  expect(await refusalOf(send(group.id))).toInclude("upgraded to a supergroup chat");
  forum.info.is_forum = true;
  const topic = forum.createTopic("Deploys", ada);
  expect(await send(forum.id, topic)).toMatchObject({ message_thread_id: topic });
  expect(await refusalOf(send(forum.id, 1))).toInclude("message thread not found");
  telegram.setMember({ by: ada, in: forum, bot, status: "kicked" });
  expect(await refusalOf(send(forum.id))).toInclude("bot was kicked from the supergroup chat");

  const channel = telegram.addChat({ type: "channel", title: "News", username: "news_of_hub" });
  telegram.setMember({ by: ada, in: channel, bot, status: "administrator" });
  expect(await send("@news_of_hub")).toMatchObject({ sender_chat: { type: "channel" } });
  telegram.say({ from: ada, in: channel, text: "post" });
  const updates = await api.getUpdates();
  expect(updates.at(-1)?.channel_post?.text).toBe("post");
  expect(updates.filter((update) => update.my_chat_member !== undefined)).toHaveLength(4);
  expect(telegram.faults).toEqual([]);
});

test("With privacy mode, a group shows a bot only commands, mentions and replies", async () => {
  const { bot, ada, api } = open({ username: "hub_bot" });
  const group = telegram.addChat({ type: "supergroup", title: "Team" });
  group.bots.set(bot.id, "member");
  const other = telegram.addBot({ username: "other_bot" });
  group.bots.set(other.id, "member");
  const own = await api.sendMessage(group.id, "Hello");
  const sent = group.messages.get(own.message_id);
  const say = (text: string) => telegram.say({ from: ada, in: group, text });
  for (const text of ["chatter", "/run", "/run@other_bot", "/run@hub_bot now", "hey @hub_bot"])
    say(text);
  telegram.say({ from: ada, in: group, text: "yes", ...(sent && { replyTo: sent }) });
  const updates = await api.getUpdates();
  expect(updates.map(({ message }) => message?.text)).toEqual([
    "/run",
    "/run@hub_bot now",
    "hey @hub_bot",
    "yes",
  ]);
  const [, command, , reply] = updates;
  expect(command?.message?.entities).toEqual([{ type: "bot_command", offset: 0, length: 12 }]);
  // Replies of a supergroup name a thread, which is no topic.
  expect(reply?.message?.message_thread_id).toBe(own.message_id);
  expect(reply?.message?.is_topic_message).toBeUndefined();
});

test("A callback query is answered once, and not when it is old", async () => {
  const { ada, chat, api } = open();
  const { message_id } = await api.sendMessage(chat.id, "a", {
    reply_markup: { inline_keyboard: [[{ text: "a", callback_data: "x" }]] },
  });
  const message = chat.messages.get(message_id);
  if (message === undefined) throw new Error("No message.");
  const click = () => telegram.click({ by: ada, in: chat, message, data: "x" });
  const first = click();
  await api.answerCallbackQuery(first.id);
  expect(await refusalOf(api.answerCallbackQuery(first.id))).toInclude("query is too old");
  const second = click();
  telegram.expireQueries();
  expect(await refusalOf(api.answerCallbackQuery(second.id))).toInclude("query is too old");
});

test("A webhook gets each update with the secret token until it answers with 2xx", async () => {
  const { bot, ada, chat, api } = open();
  expect(await refusalOf(api.setWebhook("ftp", { secret_token: "a" }))).toInclude("bad webhook");
  expect(await refusalOf(api.setWebhook("http://a.example", { secret_token: "a b" }))).toInclude(
    "unallowed characters",
  );
  const client = new GrammyBot(bot.token, { client: { apiRoot: telegram.url } });
  const texts: string[] = [];
  client.on("message:text", (ctx) => void texts.push(ctx.msg.text));
  const handle = webhookCallback(client, "bun", { secretToken: "s3cret" });
  let refusals = 2;
  await using server = useServer((req) => {
    if (refusals === 0) return handle(req);
    refusals -= 1;
    return new Response("later", { status: 500 });
  });
  telegram.say({ from: ada, in: chat, text: "one" });
  await api.setWebhook(server.url, { secret_token: "s3cret" });
  telegram.say({ from: ada, in: chat, text: "two" });
  await telegram.until(() => bot.pending.length === 0);
  expect(texts).toEqual(["one", "two"]);
  expect(telegram.deliveries.map(({ status }) => status)).toEqual([500, 500, 200, 200]);
  bot.repeat(telegram.deliveries[0]?.updateId ?? 0);
  await telegram.until(() => telegram.deliveries.length === 5);
  expect(texts).toEqual(["one", "two", "one"]);

  await api.setWebhook(server.url, { secret_token: "wrong" });
  telegram.say({ from: ada, in: chat, text: "three" });
  await telegram.until(() => telegram.deliveries.at(-1)?.status === 401);
  expect(await api.getWebhookInfo()).toMatchObject({
    pending_update_count: 1,
    last_error_message: "Wrong response from the webhook: 401",
  });
  await api.deleteWebhook({ drop_pending_updates: true });
  expect(await api.getUpdates()).toEqual([]);
});

test("Webhooks need HTTPS and a port of the platform unless plain ones are allowed", async () => {
  await using strict = startTelegram();
  const api = new Api(strict.addBot().token, { apiRoot: strict.url });
  expect(await refusalOf(api.setWebhook("http://a.example"))).toInclude("HTTPS url must be");
  expect(await refusalOf(api.setWebhook("https://a.example:444"))).toInclude("only on ports");
  expect(await refusalOf(api.setWebhook("https://127.0.0.1"))).toInclude("is reserved");
});

test("Connections drop, hang and fail as a test asks for it", async () => {
  const { bot, chat, api } = open();
  const send = () => api.sendMessage(chat.id, "a");
  telegram.failNext("sendMessage", { retryAfterS: 7 });
  const limited = await send().catch((error: unknown) => error);
  expect(limited).toMatchObject({ error_code: 429, parameters: { retry_after: 7 } });
  telegram.failNext("sendMessage", "drop");
  await expect(send()).rejects.toThrow("Network request for 'sendMessage' failed!");
  await telegram.until(() => telegram.callsOf("sendMessage").length === 2);
  expect(chat.messages.size).toBe(0);
  telegram.failNext("sendMessage", "lose answer");
  await send().catch(() => null);
  expect(chat.messages.size).toBe(1);

  const poll = api.getUpdates({ timeout: 50 }).catch((error: unknown) => error);
  await telegram.until(() => bot.isPolling);
  await telegram.dropConnections();
  expect(await poll).toBeInstanceOf(Error);
  await telegram.until(() => !bot.isPolling);
  expect(await api.getUpdates()).toEqual([]);

  const lastPoll = refusalOf(api.getUpdates({ timeout: 50 }));
  await telegram.until(() => bot.isPolling);
  bot.revoke();
  expect(await lastPoll).toBe("401 Unauthorized");
  expect(await refusalOf(send())).toBe("401 Unauthorized");
  expect(telegram.faults).toEqual([]);
});

function useServer(handle: (req: Request) => Response | Promise<Response>) {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: handle });
  return {
    url: `http://127.0.0.1:${server.port}/`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
