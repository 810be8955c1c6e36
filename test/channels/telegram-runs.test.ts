/** From Telegram to a run of a workflow, through a server. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { listChannelStates } from "@hub/server/store/channels/channels-table.ts";
import { type ChannelHub, onEvent, openChannelHub } from "../support/channel-hub.ts";
import type { Bot } from "../support/telegram-emulator/bot.ts";
import type { Chat } from "../support/telegram-emulator/chat.ts";
import {
  startTelegram,
  type TelegramEmulator,
} from "../support/telegram-emulator/start-telegram.ts";
import type { User } from "../support/telegram-emulator/types.ts";
import { waitFor } from "../support/wait-for.ts";

let telegram: TelegramEmulator;
let flows: ChannelHub;
let ann: Awaited<ReturnType<ChannelHub["addOwner"]>>;
let ada: User;

beforeAll(async () => {
  telegram = startTelegram({ plainWebhooks: true, webhookRetryMs: 1 });
  flows = await openChannelHub();
  ann = await flows.addOwner("ann", ["ops"]);
  ada = telegram.addUser({ first_name: "Ada" });
});
afterAll(async () => {
  await flows[Symbol.asyncDispose]();
  await telegram[Symbol.asyncDispose]();
});

type OpenBot = { bot: Bot; rowId: string; slug: string; chat: Chat };

/** A bot with its row, which polls. */
async function addBot(name: string, values: Record<string, unknown> = {}): Promise<OpenBot> {
  const bot = telegram.addBot();
  const { id: rowId } = await flows.admin.rows.add({
    connector: "telegram",
    label: name,
    tags: ["ops"],
    values: { token: bot.token, base_url: telegram.url, ...values },
  });
  await telegram.until(() => bot.isPolling || bot.webhook !== null);
  return { bot, rowId, slug: name, chat: telegram.privateChat(bot, ada) };
}

async function publish(...given: Parameters<typeof onEvent>): Promise<string> {
  const { id } = await ann.create({ name: "Said", body: onEvent(...given) });
  await ann.publish(id, 1);
  return id;
}

const payloads = async (id: string) =>
  (await flows.listEvents(id)).map(({ event }) => event.Payload);
const texts = async (id: string) => (await payloads(id)).map(({ text }) => text);
const stateOf = async (rowId: string) =>
  (await listChannelStates(flows.hub.services.store.db, [rowId]))[0];

/** Waits until the hub has stored everything that Telegram has for the bot. */
const untilStored = (bot: Bot) => telegram.until(() => !bot.hasUpdates && bot.isPolling);

test("Messages and commands start runs with their payload, by filters", async () => {
  const { bot, slug, chat } = await addBot("filters");
  const ben = telegram.addUser({ first_name: "Ben" });
  const group = telegram.addChat({ type: "supergroup", title: "Releases" });
  group.bots.set(bot.id, "administrator");
  const ids = {
    all: await publish(slug),
    inGroup: await publish(slug, { channel_ids: [String(group.id)] }),
    ofBen: await publish(slug, { users: [String(ben.id)] }),
    named: await publish(slug, { text_contains: "GREEN" }),
    bots: await publish(slug, { include_bots: true }),
    commands: await publish(slug, {}, "command"),
    deploy: await publish(slug, { command: "deploy" }, "command"),
  };
  telegram.say({ from: ada, in: chat, text: "Is it green?" });
  telegram.say({ from: ben, in: group, text: "yes" });
  telegram.say({ from: telegram.addBot().user, in: group, text: "of a bot" });
  telegram.say({ from: ada, in: group, text: "/deploy web" });
  telegram.say({ from: ada, in: chat, text: "/status" });
  await untilStored(bot);

  expect(await texts(ids.all)).toEqual(["Is it green?", "yes"]);
  expect(await texts(ids.inGroup)).toEqual(["yes"]);
  expect(await texts(ids.ofBen)).toEqual(["yes"]);
  expect(await texts(ids.named)).toEqual(["Is it green?"]);
  expect(await texts(ids.bots)).toEqual(["Is it green?", "yes", "of a bot"]);
  expect((await payloads(ids.commands)).map(({ command }) => command)).toEqual([
    ...["/deploy", "/status"],
  ]);
  expect(await payloads(ids.deploy)).toMatchObject([
    {
      command: "/deploy",
      text: "web",
      user: String(ada.id),
      user_name: "Ada",
      channel_id: String(group.id),
      channel_type: "supergroup",
      is_dm: false,
    },
  ]);
  expect(telegram.faults).toEqual([]);
});

nightlyTest(
  "Lost connections, doubled updates and updates out of order start each run once",
  async () => {
    const { bot, rowId, slug, chat } = await addBot("faults");
    const id = await publish(slug);
    const say = (text: string) => telegram.say({ from: ada, in: chat, text });
    say("one");
    const first = bot.pending.at(-1)?.update_id ?? 0;
    await untilStored(bot);
    bot.reverseNext();
    await telegram.dropConnections();
    say("two");
    say("three");
    await waitFor(async () => (await texts(id)).length === 3);
    await untilStored(bot);
    bot.repeat(first);
    say("four");
    await untilStored(bot);
    expect(await texts(id)).toEqual(["one", "two", "three", "four"]);
    expect((await stateOf(rowId))?.state).toBe("connected");
  },
);

test("The state says why a bot is not connected, and never shows its token", async () => {
  const { bot, rowId } = await addBot("revoked");
  await waitFor(async () => (await stateOf(rowId))?.state === "connected");
  bot.revoke();
  const failed = await waitFor(async () => {
    const state = await stateOf(rowId);
    return state?.state === "failed" ? state : null;
  });
  expect(failed.reason).toContain("Get a new one from @BotFather");
  expect(JSON.stringify(failed)).not.toContain(bot.token.split(":")[1] ?? "");

  const other = await addBot("two programs");
  await telegram.pollFromElsewhere(other.bot);
  const conflict = await waitFor(async () => {
    const reason = (await stateOf(other.rowId))?.reason;
    return reason?.includes("Another program") ? reason : null;
  });
  expect(conflict).toContain("Stop it");
  await flows.admin.rows.disable(other.rowId);
});

nightlyTest(
  "A webhook starts runs once, refuses requests without the secret, and ends with its mode",
  async () => {
    const { bot, rowId, slug, chat } = await addBot("hooks", { mode: "webhook" });
    const id = await publish(slug);
    await waitFor(async () => (await stateOf(rowId))?.state === "connected");
    expect(bot.webhook?.url).toEndWith(`/channels/${slug}/events`);
    const say = (text: string) => telegram.say({ from: ada, in: chat, text });
    say("one");
    const first = bot.pending[0]?.update_id ?? 0;
    await telegram.until(() => !bot.hasUpdates);
    bot.repeat(first);
    await telegram.until(() => !bot.hasUpdates);
    say("two");
    await telegram.until(() => !bot.hasUpdates);
    expect(await texts(id)).toEqual(["one", "two"]);

    const forged = async (headers: Record<string, string>) => {
      const update = { update_id: first + 1_000, message: { message_id: 1 } };
      const init = { method: "POST", headers, body: JSON.stringify(update) };
      return (await fetch(`${flows.url}/channels/${slug}/events`, init)).status;
    };
    const header = "x-telegram-bot-api-secret-token";
    expect([await forged({}), await forged({ [header]: "guess" })]).toEqual([401, 401]);

    await flows.admin.rows.set(rowId, { values: { mode: "polling" } });
    await telegram.until(() => bot.isPolling);
    say("three");
    await untilStored(bot);
    expect(bot.webhook).toBeNull();
    expect(await texts(id)).toEqual(["one", "two", "three"]);
    expect(await forged({ [header]: "guess" })).toBe(404);
    expect(telegram.faults).toEqual([]);
  },
);
