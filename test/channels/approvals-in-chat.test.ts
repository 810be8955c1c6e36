/**
 * Protects: a run that waits for a person asks the approvers in their chats, and only the signed event of a
 * linked approver decides. What a chat fails to deliver never fails the run.
 */
import { afterAll, afterEach, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { WorkflowApprovalDetail } from "@hub/contract/workflow-approval.ts";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { handleClick } from "@hub/server/channels/approvals/handle-click.ts";
import type { ButtonClick } from "@hub/server/channels/chat-adapter.ts";
import { localAdmin } from "@hub/server/identity/local-admin.ts";
import { openSession } from "@hub/server/identity/testing/open-test-session.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { findApprovalMessage } from "@hub/server/store/channels/approval-messages.ts";
import { insertChatAccount } from "@hub/server/store/channels/chat-accounts-table.ts";
import { runSql } from "@hub/server/store/testing/run-sql.ts";
import { findUserByEmail, findUserById } from "@hub/server/store/users/users-table.ts";
import { decideApproval } from "@hub/server/workflows/approvals/decide-approval.ts";
import { showApproval } from "@hub/server/workflows/approvals/list-approvals.ts";
import { cancelWorkflowRun } from "@hub/server/workflows/runs/cancel-workflow-run.ts";
import { type ChannelHub, onEvent, openChannelHub } from "../support/channel-hub.ts";
import { createDataFolder } from "../support/data-folder.ts";
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
let folder: Awaited<ReturnType<typeof createDataFolder>>;
let flows: ChannelHub;
let slackRow: string;
let bot: Bot;
let ops: SlackChannel;
/** A person who starts runs by messages. */
let ada: SlackUser;
/** Approvers: one in Slack, one in Telegram. */
let bea: { user: SlackUser; dm: SlackChannel; userId: string };
let tom: { user: User; chat: Chat; userId: string };
let workflow: string;
/** A workflow of a person who is no approver, which runs for every message. */
let overheard: string;

beforeAll(async () => {
  slack = startSlackEmulator();
  telegram = startTelegram({ plainWebhooks: true, webhookRetryMs: 1 });
  folder = await createDataFolder();
  flows = await openChannelHub({ dataDir: folder.path });
  ada = slack.workspace.addUser("ada");
  ops = slack.workspace.addChannel("ops", { members: [ada] });
  const tags = ["everyone"];
  ({ id: slackRow } = await flows.admin.rows.add({
    connector: "slack",
    label: "Work",
    tags,
    values: toRow(slack),
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
  ({ id: workflow } = await owner.create({ name: "Deploy", body: deployBody }));
  await owner.publish(workflow, 1);
  const all = onEvent("work", { include_self: true });
  ({ id: overheard } = await owner.create({ name: "Hears all", body: all }));
  await owner.publish(overheard, 1);
  bea = await addBea();
  tom = await addTom();
});
afterAll(async () => {
  await flows[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
  await slack[Symbol.asyncDispose]();
  await telegram[Symbol.asyncDispose]();
});
afterEach(() => {
  expect(slack.workspace.faults).toEqual([]);
});

const deployBody: WorkflowBodyInput = {
  schema: 1,
  triggers: [
    {
      id: "said",
      type: "channel",
      entry: "ask",
      channel: "work",
      event: "message",
      match: { text_contains: "deploy" },
    },
  ],
  nodes: [
    {
      id: "ask",
      type: "approval",
      title: "{{.Event.Payload.text}}?",
      details: "<!channel> *all* of it\n{{.Event.Payload.text}}",
      approvers: { tags: ["bosses"], users: [] },
    },
    {
      id: "say",
      type: "channel",
      channel: "work",
      op: "send_message",
      args: { channel_id: "{{.Event.Payload.channel_id}}", text: "Goes {{.Event.Payload.text}}" },
    },
    { id: "no", type: "set", value: "no" },
  ],
  edges: [
    { from: "ask", to: "say", case: "approved" },
    { from: "ask", to: "no", case: "denied" },
    { from: "ask", to: "no", case: "expired" },
  ],
};

/** A browser in which a new approver is signed in. */
async function addApprover(name: string) {
  const { db } = flows.hub.services.store;
  await flows.addOwner(name, ["bosses"]);
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

/** Links by the code, the bot's question and the browser. */
async function addBea() {
  const browser = await addApprover("bea");
  const user = slack.workspace.addUser("bea");
  const dm = slack.workspace.openDirectMessage([user]);
  const { code, id } = await browser.post("chat-accounts/links");
  slack.post({ channel: dm, user, text: code });
  await waitFor(() => dm.messages.some(({ text }) => text.includes("Answer yes or no")));
  slack.post({ channel: dm, user, text: "Yes" });
  await waitFor(() => dm.messages.some(({ text }) => text.includes("Now confirm")));
  const linked = await browser.post(`chat-accounts/links/${id}/confirm`);
  expect(linked).toMatchObject({ kind: "slack", account_id: user.id, account_name: null });
  return { user, dm, userId: browser.userId };
}

async function addTom() {
  const browser = await addApprover("tom");
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
const findAsked = (chat: Chat, title: string) =>
  [...chat.messages.values()].find(({ text }) => text?.startsWith(`Approval: ${title}`));
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

/** Starts a run, and waits for its questions. */
async function ask(text: string, title = `${text}?`) {
  slack.post({ channel: ops, user: ada, text });
  const inSlack = await waitFor(() => bea.dm.messages.find((one) => shownIn(one).includes(title)));
  const inTelegram = await waitFor(() => findAsked(tom.chat, title));
  const { db } = flows.hub.services.store;
  const [stored] = await runSql<{ id: string; run_id: string }>(
    db,
    "select id, run_id from workflow_approvals where title = ?",
    title,
  );
  if (stored === undefined) throw new Error("There is no approval");
  const [message] = await runSql<{ id: string }>(
    db,
    "select id from approval_messages where approval_id = ? and kind = 'slack'",
    stored.id,
  );
  const id = message?.id ?? "";
  await waitFor(async () => (await findApprovalMessage(db, id))?.dueAt === null);
  const click: ButtonClick = {
    decision: "approved",
    id,
    channelId: bea.dm.id,
    ts: inSlack.ts,
    answerTo: null,
  };
  return { ...stored, title, inSlack, inTelegram, click };
}

type Asked = WorkflowApprovalDetail["asked_in_chat"][number];

const work = { slug: "work", label: "Work" };
const phone = { slug: "phone", label: "Phone" };

const listOverheard = async () =>
  (await flows.listEvents(overheard)).map(({ event }) => String(event.Payload.text));

const show = (id: string) => showApproval(flows.hub.services, localAdmin, id);

test("Approvers are asked in the chats that they linked, one decides, and all messages say who", async () => {
  const { id, inSlack, inTelegram, title } = await ask("deploy web");
  expect(shownIn(inSlack)).toContain("<!channel> *all* of it");
  for (const shown of [shownIn(inSlack), inTelegram.text ?? ""]) {
    expect(shown).toContain("Workflow: Deploy");
    expect(shown).toContain("channel work send_message");
    expect(shown).toContain("Goes deploy web");
    expect(shown).toContain(`/approvals/${id}`);
  }
  expect(buttonsOf(inTelegram).map(({ text }) => text)).toEqual(["Approve", "Deny"]);
  expect((await show(id)).asked_in_chat).toEqual([
    { email: "bea@example.com", kind: "slack", channel: work, state: "sent", failure: null },
    { email: "tom@example.com", kind: "telegram", channel: phone, state: "sent", failure: null },
  ]);
  const asked = inSlack.blocks;
  // Slack sends the bot its own messages too. Those to approvers reach no workflow.
  await waitFor(async () => (await flows.listEvents(overheard)).length > 0);
  const clicked = slack.act({ on: inSlack, user: bea.user, actionId: "hub_approval:approved" });
  expect(await clicked.outcome).toEqual({ state: "acknowledged", answer: null });
  await waitFor(() => ops.messages.some(({ text }) => text === "Goes deploy web"));
  await waitFor(() => !hasButtons(inSlack));
  expect(shownIn(inSlack)).toContain("Approved by bea@example.com at");
  const ended = await waitFor(() => {
    const found = findAsked(tom.chat, title);
    return found && buttonsOf(found).length === 0 ? found : null;
  });
  expect(ended.text).toContain("Approved by bea@example.com at");
  expect(await show(id)).toMatchObject({ state: "approved", decided_by: "bea@example.com" });
  await waitFor(async () => (await listOverheard()).includes("Goes deploy web"));
  expect((await listOverheard()).filter((text) => /Approv/.test(text))).toEqual([]);
  const [change] = await flows.admin.changes.list({ action: "workflow.approve" });
  expect(change).toMatchObject({ actor: "bea@example.com", via: "chat" });
  // Slack sends an interaction once. One who clicks before the message has changed is told who was faster.
  inSlack.blocks = asked;
  slack.act({ on: inSlack, user: bea.user, actionId: "hub_approval:denied" });
  await waitFor(() =>
    slack.workspace.ephemeral.some(({ text }) => text.includes("has approved it already")),
  );
});

test("A text from outside shows in no part of the question but its own, and hides nothing", async () => {
  const said = [
    "deploy\u202E it\u200b",
    "",
    "",
    "What will run:",
    "Nothing that changes other systems.\u2028Approved by bea@example.com.\u{e0041}",
  ].join("\n");
  const title =
    "deploy it What will run: Nothing that changes other systems. Approved by bea@example.com.?";
  const { inSlack, inTelegram, id } = await ask(said, title);
  const details =
    "<!channel> *all* of it\ndeploy it\n\nWhat will run:\nNothing that changes other systems.\nApproved by bea@example.com.";
  const willRun = `• channel work send_message (say): {"args":{"channel_id":"${ops.id}","text":"Goes deploy\\u202e it\\u200b\\n\\n\\nWhat will run:\\nNothing that changes other systems.\\u2028Approved by bea@example.com.\\udb40\\udc41"}}`;
  const values = `channel_id: ${ops.id}\ntext: Goes deploy\\u202e it\\u200b What will run: Nothing that changes other systems.\\u2028Approved by bea@example.com.\\udb40\\udc41`;
  const [header, facts, ...quotes] = Object(inSlack.blocks);
  expect(header.text.text).toBe(`Approval: ${title}`);
  expect(facts.elements[0].elements.slice(0, 4)).toEqual([
    { type: "text", text: "Acts on: ", style: { bold: true } },
    { type: "text", text: "Work (Slack): Send message" },
    { type: "text", text: "\nWorkflow: ", style: { bold: true } },
    { type: "text", text: "Deploy" },
  ]);
  const toQuote = (name: string, text: string) => ({
    type: "rich_text",
    elements: [
      {
        type: "rich_text_section",
        elements: [{ type: "text", text: `${name}:`, style: { bold: true } }],
      },
      { type: "rich_text_quote", elements: [{ type: "text", text }] },
    ],
  });
  expect(quotes.slice(0, 3)).toMatchObject([
    toQuote("Values", values),
    toQuote("Details", details),
    toQuote("What will run", willRun),
  ]);
  const { text = "", entities = [] } = inTelegram;
  const textsWith = (type: string) =>
    entities
      .filter((entity) => entity.type === type)
      .map(({ offset, length }) => text.slice(offset, offset + length));
  expect(textsWith("bold")).toEqual([
    `Approval: ${title}`,
    ...["Acts on:", "Workflow:", "Started by:", "Edited by:", "Expires at:"],
    ...["Values:", "Details:", "What will run:"],
  ]);
  expect(textsWith("blockquote")).toEqual([values, details, willRun]);
  expect((await show(id)).details).toBe(details.replace("it\n\n", "it\n\n\n"));
  slack.act({ on: inSlack, user: bea.user, actionId: "hub_approval:denied" });
  await waitFor(() => !hasButtons(inSlack));
});

test("An approver denies in Telegram, and a copy of the button decides nothing", async () => {
  const { id, inTelegram, inSlack, title } = await ask("deploy api");
  const [, deny] = buttonsOf(inTelegram);
  const query = telegram.click({
    by: tom.user,
    in: tom.chat,
    message: inTelegram,
    data: deny?.callback_data ?? "",
  });
  const answered = await waitFor(() =>
    telegram.world.answeredQueries.find((one) => one.query.id === query.id),
  );
  expect(answered).toMatchObject({ text: "Denied.", showAlert: false });
  expect(await show(id)).toMatchObject({ state: "denied", decided_by: "tom@example.com" });
  await waitFor(() => !hasButtons(inSlack));
  await waitFor(() => findAsked(tom.chat, title)?.text?.includes("Denied by tom@example.com"));
});

test("Everybody else, and everything that is not the message that was sent, is refused with what to do", async () => {
  const { id, click } = await ask("deploy all");
  const { services } = flows.hub;
  const { db } = services.store;
  const sender = { teamId: slack.workspace.teamId, userId: bea.user.id, userName: null };
  const hub = "https://hub.example.com";
  const tryClick = (change: Partial<ButtonClick> = {}, given: object = {}, now = services.now) =>
    handleClick(
      { ...services, now, readBaseUrl: () => hub },
      { rowId: slackRow, kind: "slack" },
      { from: "person", sender, ...given },
      { ...click, ...change },
    );
  const set = async (sql: string, ...values: string[]) => void (await runSql(db, sql, ...values));
  const page = `${hub}/approvals/${id}`;

  const invalid = `This button is not valid. Use the newest message of the bot, or open ${hub}/approvals.`;
  const [other] = await runSql<{ id: string }>(
    db,
    "select id from approval_messages where approval_id = ? and kind = 'telegram'",
    id,
  );
  for (const change of [
    { id: crypto.randomUUID() },
    { id: "x" },
    { id: `${click.id}' or 1=1` },
    { id: other?.id ?? "" },
    { channelId: ops.id },
    { ts: "1.0" },
    { ts: null, channelId: null },
  ]) {
    expect(await tryClick(change)).toBe(invalid);
  }
  await set("update approval_messages set channel_id = null where id = ?", click.id);
  expect(await tryClick()).toContain("Click the button again.");
  await set("update approval_messages set channel_id = ? where id = ?", bea.dm.id, click.id);

  const toOther = `This question was sent to another person. Open ${page}.`;
  for (const given of [
    { sender: { ...sender, userId: ada.id } },
    { sender: { ...sender, teamId: "T2" } },
    { sender: null },
    { from: "bot" },
  ]) {
    expect(await tryClick({}, given)).toBe(toOther);
  }

  const unlinked = `This chat account belongs to no active user of the hub. Link it at ${hub}/profile/chat-accounts, or ask an admin.`;
  await set("update chat_accounts set team_id = 'gone' where account_id = ?", bea.user.id);
  expect(await tryClick()).toBe(unlinked);
  await set(
    "update chat_accounts set team_id = ? where account_id = ?",
    sender.teamId,
    bea.user.id,
  );
  await flows.admin.users.disable("bea@example.com");
  expect(await tryClick()).toBe(unlinked);
  await flows.admin.users.enable("bea@example.com");

  await flows.admin.users.set("bea@example.com", { tags: [] });
  expect(await tryClick()).toBe(`There is no such approval. See ${page}.`);
  await flows.admin.users.set("bea@example.com", { tags: ["bosses"] });
  for (const [column, words] of [
    [
      "starter_ids",
      "You started this run, or a run that led to it, or a service user of yours did.",
    ],
    ["editor_ids", "You saved or published what this run runs, or a service user of yours did."],
  ] as const) {
    await set(`update workflow_approvals set ${column} = ? where id = ?`, `["${bea.userId}"]`, id);
    expect(await tryClick()).toBe(`${words} Another approver must decide. See ${page}.`);
    await set(`update workflow_approvals set ${column} = '[]' where id = ?`, id);
  }
  await set("update workflow_approvals set hash = 'other' where id = ?", id);
  expect(await tryClick()).toBe(
    `What you decided on is not what this approval asks. Read it again. See ${page}.`,
  );
  await set(
    "update workflow_approvals set hash = (select hash from approval_messages where id = ?) where id = ?",
    click.id,
    id,
  );
  const late = services.now() + 40 * 24 * 60 * 60_000;
  expect(await tryClick({}, {}, () => late)).toContain(
    "The approval cannot be decided. It expired",
  );
  expect(await show(id)).toMatchObject({ state: "pending" });

  expect(await tryClick({ decision: "denied" })).toBeNull();
  for (const decision of ["approved", "denied"] as const) {
    expect(await tryClick({ decision })).toContain("bea@example.com has denied it already at");
  }
});

nightlyTest(
  "Only users who see a channel see who was asked there, and each sees the own message",
  async () => {
    const { id, inSlack } = await ask("deploy inside");
    const { db } = flows.hub.services.store;
    await flows.addOwner("crew", ["crew"]);
    const hide = (tag: string) => flows.admin.rows.set(slackRow, { tags: [tag] });
    const showAs = async (userId: string, tags: string[], role: "user" | "admin" = "user") => {
      const user = await findUserById(db, userId);
      const caller = { ...localAdmin, userId, email: user?.email ?? "", role, tags: new Set(tags) };
      return (await showApproval(flows.hub.services, caller, id)).asked_in_chat;
    };
    const failure = "At work";
    const toBea: Asked = {
      failure,
      email: "bea@example.com",
      kind: "slack",
      channel: work,
      state: "sent",
    };
    const toTom: Asked = {
      failure,
      email: "tom@example.com",
      kind: "telegram",
      channel: phone,
      state: "sent",
    };
    await hide("crew");
    // The reason of a failure may describe the channel.
    await runSql(db, "update approval_messages set failure = 'At work' where approval_id = ?", id);
    expect(await showAs(tom.userId, ["bosses"])).toEqual([toTom]);
    expect(await showAs(bea.userId, ["bosses"])).toEqual([
      { ...toBea, channel: null, failure: null },
      toTom,
    ]);
    const all = [{ ...toBea, failure }, toTom];
    expect(await showAs(tom.userId, ["bosses", "crew"])).toEqual(all);
    expect(await showAs(tom.userId, [], "admin")).toEqual(all);
    // What the decision answers is for the same eyes.
    const { hash } = await show(id);
    const actor = {
      userId: tom.userId,
      email: "tom@example.com",
      tokenId: null,
      via: "session" as const,
      ip: null,
    };
    const denied = await decideApproval(flows.hub.services, actor, {
      id,
      decision: "denied",
      hash,
    });
    expect(denied.asked_in_chat.map(({ email }) => email)).toEqual(["tom@example.com"]);
    await hide("everyone");
    await waitFor(() => !hasButtons(inSlack));
  },
);

nightlyTest(
  "A run that is cancelled, and an approval that expires, take the buttons away",
  async () => {
    const cancelled = await ask("deploy one");
    const target = { workflow, run: cancelled.run_id };
    await cancelWorkflowRun(flows.hub.services, localAdmin, target);
    await waitFor(() => !hasButtons(cancelled.inSlack));
    expect(shownIn(cancelled.inSlack)).toContain("The run has ended.");
    await waitFor(() => findAsked(tom.chat, cancelled.title)?.text?.includes("The run has ended."));

    const late = await ask("deploy two");
    const { db } = flows.hub.services.store;
    await runSql(db, "update workflow_approvals set expires_at = 1 where id = ?", late.id);
    await runSql(db, "update workflow_runs set due_at = 1 where id = ?", late.run_id);
    await waitFor(() => !hasButtons(late.inSlack));
    expect(shownIn(late.inSlack)).toContain("No approver decided in time.");
  },
);

nightlyTest(
  "A platform that limits, fails or refuses is asked again or given up, and the run goes on waiting",
  async () => {
    const { db } = flows.hub.services.store;
    // A second approver in the same workspace: a limit of Slack holds for both.
    const cy = { ...(await addApprover("cy")), user: slack.workspace.addUser("cy") };
    const dm = slack.workspace.openDirectMessage([cy.user]);
    await insertChatAccount(db, {
      id: crypto.randomUUID(),
      userId: cy.userId,
      kind: "slack",
      accountId: cy.user.id,
      teamId: slack.workspace.teamId,
      accountName: null,
      teamName: null,
      createdAt: 1,
      rowId: null,
    });
    slack.limitRate("chat.postMessage", { retryAfterS: 1 });
    telegram.failNext("sendMessage", {
      code: 403,
      description: "Forbidden: bot was blocked by the user",
    });
    slack.post({ channel: ops, user: ada, text: "deploy slowly" });
    const inSlack = await waitFor(() =>
      bea.dm.messages.find((one) => shownIn(one).includes("deploy slowly?")),
    );
    await waitFor(() => dm.messages.some((one) => shownIn(one).includes("deploy slowly?")));
    const [stored] = await runSql<{ id: string }>(
      db,
      "select id from workflow_approvals where title = ?",
      "deploy slowly?",
    );
    const shown = await waitFor(async () => {
      const found = await show(stored?.id ?? "");
      return found.asked_in_chat.every(({ state }) => state !== "waiting") ? found : null;
    });
    expect(shown).toMatchObject({ state: "pending" });
    expect(shown.asked_in_chat).toMatchObject([
      { email: "bea@example.com", kind: "slack", state: "sent", failure: null },
      { email: "cy@example.com", kind: "slack", state: "sent", failure: null },
      {
        kind: "telegram",
        channel: phone,
        state: "failed",
        failure: expect.stringContaining("blocked"),
      },
    ]);
    expect(JSON.stringify(shown)).not.toContain(bot.token);
    slack.act({ on: inSlack, user: bea.user, actionId: "hub_approval:denied" });
    await waitFor(() => !hasButtons(inSlack));
    await waitFor(() => dm.messages.every((one) => !hasButtons(one)));
    await flows.admin.users.disable("cy@example.com");
  },
);

nightlyTest(
  "A question that could not be sent is sent later by another server, once by two, and not to a person who is no approver any more",
  async () => {
    // Longer than the test takes on any machine.
    const retryAfterS = 3_000;
    slack.limitRate("chat.postMessage", { retryAfterS });
    telegram.failNext("sendMessage", { retryAfterS });
    slack.post({ channel: ops, user: ada, text: "deploy later" });
    const find = async () => {
      const [stored] = await runSql<{ id: string }>(
        flows.hub.services.store.db,
        "select id from workflow_approvals where title = ?",
        "deploy later?",
      );
      return stored ? await show(stored.id) : null;
    };
    await waitFor(async () => {
      const asked = (await find())?.asked_in_chat ?? [];
      return asked.length === 2 && asked.every(({ failure }) => failure);
    });
    await flows.admin.users.set("tom@example.com", { tags: [] });
    // The server ends between the failures and the next try.
    await flows[Symbol.asyncDispose]();
    flows = await openChannelHub({ dataDir: folder.path });
    await using other = await openChannelHub({ dataDir: folder.path });
    expect(other.dataDir).toBe(folder.path);
    slack.endLimit("chat.postMessage");
    const { db } = flows.hub.services.store;
    await runSql(db, "update approval_messages set due_at = 1 where due_at is not null");
    const inSlack = await waitFor(() =>
      bea.dm.messages.find((one) => shownIn(one).includes("deploy later?")),
    );
    await slack.connected();
    // The click counts when the hub has recorded where the message is.
    await waitFor(async () => {
      const asked = (await find())?.asked_in_chat ?? [];
      return asked.every(({ state }) => state !== "waiting");
    });
    const clicked = slack.act({ on: inSlack, user: bea.user, actionId: "hub_approval:approved" });
    expect(await clicked.outcome).toMatchObject({ state: "acknowledged" });
    await waitFor(() => ops.messages.some(({ text }) => text === "Goes deploy later"));
    await waitFor(() => !hasButtons(inSlack));
    const asked = bea.dm.messages.filter((one) => shownIn(one).includes("deploy later?"));
    expect(asked).toHaveLength(1);
    expect(findAsked(tom.chat, "deploy later?")).toBeUndefined();
    expect(await find()).toMatchObject({
      state: "approved",
      asked_in_chat: [
        { email: "bea@example.com", state: "sent", failure: null },
        {
          email: "tom@example.com",
          state: "failed",
          failure: expect.stringContaining("no approver any more"),
        },
      ],
    });
  },
);
