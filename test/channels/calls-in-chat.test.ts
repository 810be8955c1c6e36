/**
 * Protects: a call that waits asks those who may decide it in their chats, and only the signed event of a linked one
 * decides. The card says the outcome, and says again how the call has ended.
 */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { handleClick } from "@hub/server/channels/approvals/handle-click.ts";
import type { ButtonClick } from "@hub/server/channels/chat-adapter.ts";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { openSession } from "@hub/server/identity/testing/open-test-session.ts";
import { setDeputy } from "@hub/server/services/pending/set-deputy.ts";
import { setRule } from "@hub/server/services/rules/manage-rules.ts";
import { findPendingCall } from "@hub/server/store/pending/pending-calls-table.ts";
import { runSql } from "@hub/server/store/testing/run-sql.ts";
import { findUserByEmail } from "@hub/server/store/users/users-table.ts";
import { type ChannelHub, openChannelHub } from "../support/channel-hub.ts";
import {
  type SlackEmulator,
  startSlackEmulator,
} from "../support/slack-emulator/slack-emulator.ts";
import type { SlackChannel, SlackMessage, SlackUser } from "../support/slack-emulator/workspace.ts";
import type { Bot } from "../support/telegram-emulator/bot.ts";
import type { Chat } from "../support/telegram-emulator/chat.ts";
import {
  startTelegram,
  type TelegramEmulator,
} from "../support/telegram-emulator/start-telegram.ts";
import type { Message, User } from "../support/telegram-emulator/types.ts";
import { waitFor } from "../support/wait-for.ts";
import { toRow } from "./slack-channel.ts";

setDefaultTimeout(180_000);

let slack: SlackEmulator;
let telegram: TelegramEmulator;
let flows: ChannelHub;
let slackRow: string;
let bot: Bot;
let ops: SlackChannel;
let ada: SlackUser;
/** Those who may decide: one in Slack, one in Telegram. */
let bea: { user: SlackUser; dm: SlackChannel; userId: string };
let tom: { user: User; chat: Chat; userId: string };
let workflow: string;

/** The node `say` makes the call that the rule asks about. */
const body: WorkflowBodyInput = {
  schema: 1,
  triggers: [
    {
      id: "said",
      type: "channel",
      entry: "say",
      channel: "work",
      event: "message",
      match: { text_contains: "deploy" },
    },
  ],
  nodes: [
    {
      id: "say",
      type: "channel",
      channel: "work",
      op: "send_message",
      args: { channel_id: "{{.Event.Payload.channel_id}}", text: "Goes {{.Event.Payload.text}}" },
    },
  ],
  edges: [],
};

beforeAll(async () => {
  slack = startSlackEmulator();
  telegram = startTelegram({ plainWebhooks: true, webhookRetryMs: 1 });
  flows = await openChannelHub();
  ada = slack.workspace.addUser("ada");
  ops = slack.workspace.addChannel("ops", { members: [ada] });
  const tags = ["everyone"];
  const values = toRow(slack);
  ({ id: slackRow } = await flows.admin.rows.add({
    connector: "slack",
    label: "Work",
    tags,
    values,
  }));
  bot = telegram.addBot();
  await flows.admin.rows.add({
    connector: "telegram",
    label: "Phone",
    tags,
    values: { token: bot.token, base_url: telegram.url },
  });
  await slack.connected();
  await telegram.until(() => bot.isPolling);
  const owner = await flows.addOwner("owner");
  ({ id: workflow } = await owner.create({ name: "Deploy", body }));
  await owner.publish(workflow, 1);
  bea = await addBea();
  tom = await addTom();
  await setRule(flows.hub.services, commandLineActor, slackRow, {
    asks: "always",
    decide: { by: "tags", tags: ["bosses"] },
  });
});
afterAll(async () => {
  await flows[Symbol.asyncDispose]();
  await slack[Symbol.asyncDispose]();
  await telegram[Symbol.asyncDispose]();
});
afterEach(() => {
  expect(slack.workspace.faults).toEqual([]);
});

/** A browser in which a new user is signed in. */
async function addPerson(name: string, tags = ["bosses"]) {
  const { db } = flows.hub.services.store;
  await flows.addOwner(name, tags);
  const user = await findUserByEmail(db, `${name}@example.com`);
  if (user === null) throw new Error("No such user");
  const { token } = await openSession({ db }, { userId: user.id });
  const send = async (method: string, path: string, csrf?: string) => {
    const headers = { Cookie: `hub_session=${token}`, ...(csrf && { "X-CSRF-Token": csrf }) };
    const res = await fetch(`${flows.url}/profile/api/${path}`, { method, headers });
    return Object(await res.json());
  };
  const { csrf_token: csrf } = await send("GET", "me");
  return { userId: user.id, post: (path: string) => send("POST", path, csrf) };
}

async function addBea(name = "bea", tags = ["bosses"]) {
  const browser = await addPerson(name, tags);
  const user = slack.workspace.addUser(name);
  const dm = slack.workspace.openDirectMessage([user]);
  const { code, id } = await browser.post("chat-accounts/links");
  slack.post({ channel: dm, user, text: code });
  await waitFor(() => dm.messages.some(({ text }) => text.includes("Answer yes or no")));
  slack.post({ channel: dm, user, text: "Yes" });
  await waitFor(() => dm.messages.some(({ text }) => text.includes("Now confirm")));
  await browser.post(`chat-accounts/links/${id}/confirm`);
  return { user, dm, userId: browser.userId };
}

async function addTom() {
  const browser = await addPerson("tom");
  const user = telegram.addUser({ first_name: "Tom" });
  const chat = telegram.privateChat(bot, user);
  const { code, id } = await browser.post("chat-accounts/links");
  telegram.say({ from: user, in: chat, text: code });
  await telegram.until(() => textsOf(chat).some((text) => text.includes("Answer yes or no")));
  telegram.say({ from: user, in: chat, text: "yes" });
  await telegram.until(() => textsOf(chat).some((text) => text.includes("Now confirm")));
  await browser.post(`chat-accounts/links/${id}/confirm`);
  return { user, chat, userId: browser.userId };
}

const textsOf = (chat: Chat) => [...chat.messages.values()].map(({ text }) => text ?? "");
const buttonsOf = (message: Message) => message.reply_markup?.inline_keyboard.flat() ?? [];
/** The words of a message, one after another. */
const shownIn = ({ blocks }: SlackMessage) => {
  const words: string[] = [];
  JSON.stringify(blocks, (key, value) => {
    if (key === "text" && typeof value === "string") words.push(value);
    return value;
  });
  return words.join("");
};
const hasButtons = ({ blocks }: SlackMessage) =>
  JSON.stringify(blocks).includes("hub_approval:approved");
const cardsIn = (dm: SlackChannel, text: string) =>
  dm.messages.filter((one) => shownIn(one).includes(`Goes ${text}`));
const findInTelegram = (text: string) =>
  [...tom.chat.messages.values()].find((one) => one.text?.includes(`Goes ${text}`));

/** Starts a run, and waits for the questions about its call. */
async function ask(text: string) {
  slack.post({ channel: ops, user: ada, text });
  const inSlack = await waitFor(() => cardsIn(bea.dm, text)[0]);
  await waitFor(() => findInTelegram(text));
  const { db } = flows.hub.services.store;
  const [message] = await runSql<{ id: string; call_id: string }>(
    db,
    `select id, call_id from call_messages where kind = 'slack' and ts = '${inSlack.ts}'`,
  );
  const id = message?.id ?? "";
  const click: ButtonClick = {
    decision: "approved",
    id,
    channelId: bea.dm.id,
    ts: inSlack.ts,
    answerTo: null,
  };
  return { callId: message?.call_id ?? "", inSlack, click };
}

const find = (id: string) => findPendingCall(flows.hub.services.store.db, id);
const saidInOps = (text: string) => ops.messages.some((one) => one.text === `Goes ${text}`);

test("Those who may decide are asked in chats, one approves, the run goes on, and the cards say that it has run", async () => {
  const { callId, inSlack } = await ask("deploy web");
  for (const shown of [shownIn(inSlack), findInTelegram("deploy web")?.text ?? ""]) {
    expect(shown).toContain("Call: send_message in Work");
    expect(shown).toContain("owner@example.com");
    expect(shown).toContain("Deploy");
    expect(shown).toContain(`/approvals/calls/${callId}`);
  }
  expect(saidInOps("deploy web")).toBe(false);
  const clicked = slack.act({ on: inSlack, user: bea.user, actionId: "hub_approval:approved" });
  expect(await clicked.outcome).toEqual({ state: "acknowledged", answer: null });
  await waitFor(() => saidInOps("deploy web"));
  await waitFor(() => shownIn(inSlack).includes("It has run."));
  expect(hasButtons(inSlack)).toBe(false);
  const inTelegram = await waitFor(() => {
    const found = findInTelegram("deploy web");
    return found?.text?.includes("It has run.") ? found : null;
  });
  expect(inTelegram.text).toContain("Approved by bea@example.com at");
  expect(buttonsOf(inTelegram)).toEqual([]);
  expect(await find(callId)).toMatchObject({ state: "done", decidedVia: "chat" });
  const again = slack.act({ on: inSlack, user: bea.user, actionId: "hub_approval:denied" });
  await again.outcome;
  await waitFor(() => slack.workspace.faults.length === 0);
  expect(await find(callId)).toMatchObject({ state: "done" });
});

test("A press that must not decide is answered with words, and decides nothing", async () => {
  const { callId, click } = await ask("deploy all");
  const { services } = flows.hub;
  const { db } = services.store;
  const hub = "https://hub.example.com";
  const page = `${hub}/approvals/calls/${callId}`;
  const sender = { teamId: slack.workspace.teamId, userId: bea.user.id, userName: null };
  const press = (change: Partial<ButtonClick> = {}, given: object = {}, now = services.now) =>
    handleClick(
      { ...services, now, readBaseUrl: () => hub },
      { rowId: slackRow, kind: "slack" },
      { from: "person", sender, ...given },
      { ...click, ...change },
    );
  const invalid = `This button is not valid. Use the newest message of the bot, or open ${hub}/approvals.`;
  for (const change of [{ id: crypto.randomUUID() }, { channelId: ops.id }, { ts: "1.0" }]) {
    expect(await press(change)).toBe(invalid);
  }
  const toOther = `This question was sent to another person. Open ${page}.`;
  for (const given of [
    { sender: { ...sender, userId: ada.id } },
    { sender: { ...sender, teamId: "T2" } },
    { from: "bot" },
  ]) {
    expect(await press({}, given)).toBe(toOther);
  }
  await flows.admin.users.set("bea@example.com", { tags: [] });
  expect(await press()).toContain("There is no such call for you");
  await flows.admin.users.set("bea@example.com", { tags: ["bosses"] });
  // The right was given after the question.
  expect(await press()).toContain("Another approver must decide.");
  await runSql(db, "delete from changes where kind = 'user'");
  await runSql(
    db,
    `update pending_calls set excluded = '["${bea.userId}"]' where id = '${callId}'`,
  );
  expect(await press()).toContain("Another approver must decide.");
  await runSql(db, `update pending_calls set excluded = '[]' where id = '${callId}'`);
  const digest = (await find(callId))?.digest ?? "";
  await runSql(db, `update pending_calls set digest = 'other' where id = '${callId}'`);
  expect(await press()).toContain("What you decided on is not what this call asks.");
  await runSql(db, `update pending_calls set digest = '${digest}' where id = '${callId}'`);
  const late = services.now() + 2 * 24 * 60 * 60_000;
  expect(await press({}, {}, () => late)).toContain("The call cannot be decided. It expired");
  expect(await find(callId)).toMatchObject({ state: "open" });
  expect(await press({ decision: "denied" })).toBeNull();
  expect(await press()).toContain("bea@example.com has denied it already at");
  expect(saidInOps("deploy all")).toBe(false);
});

test("After half of the time those who may decide are asked once more, and both cards say the outcome", async () => {
  const { callId, inSlack } = await ask("deploy late");
  const { db } = flows.hub.services.store;
  await runSql(
    db,
    `update pending_calls set created_at = created_at - 90000000 where id = '${callId}'`,
  );
  const cards = await waitFor(() => {
    const found = cardsIn(bea.dm, "deploy late");
    return found.length === 2 ? found : null;
  });
  expect((await find(callId))?.remindedAt).toBeNumber();
  const [, reminder = inSlack] = cards;
  await slack.act({ on: reminder, user: bea.user, actionId: "hub_approval:denied" }).outcome;
  await waitFor(() => cards.every((card) => shownIn(card).includes("Denied by bea@example.com")));
  expect(cards.some(hasButtons)).toBe(false);
});

test("A deputy whom an absent approver names is asked, and decides", async () => {
  const cleo = await addBea("cleo", []);
  const { callId } = await ask("deploy deputy");
  expect(cardsIn(cleo.dm, "deploy deputy")).toEqual([]);
  const email = "tom@example.com";
  const actor = { userId: tom.userId, email, tokenId: null, via: "session", ip: null } as const;
  await setDeputy(flows.hub.services, actor, { id: callId, deputy: "cleo@example.com" });
  const card = await waitFor(() => cardsIn(cleo.dm, "deploy deputy")[0]);
  await slack.act({ on: card, user: cleo.user, actionId: "hub_approval:approved" }).outcome;
  await waitFor(() => saidInOps("deploy deputy"));
  expect(await find(callId)).toMatchObject({ decidedByEmail: "cleo@example.com" });
  expect(cardsIn(bea.dm, "deploy deputy")).toHaveLength(1);
});
