/**
 * What the adapters send to Slack and Telegram has the published types of the platforms' own packages.
 * Our emulators check the same, but were written by us.
 */
import { beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join, resolve } from "node:path";
import {
  createGuardedFetch,
  readConfig,
  runHealth,
  runLookup,
  testOperation,
} from "@hub/connector";
import type { ApprovalCard, ChatAdapter, OpenChannel } from "@hub/server/channels/chat-adapter.ts";
import { slackAdapter } from "@hub/server/channels/slack/slack-adapter.ts";
import { slackConnector } from "@hub/server/channels/slack/slack-connector.ts";
import { telegramAdapter } from "@hub/server/channels/telegram/telegram-adapter.ts";
import { telegramConnector } from "@hub/server/channels/telegram/telegram-connector.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { holdTestChannel, openTestChannel } from "../support/hold-channel.ts";
import { startSlackEmulator } from "../support/slack-emulator/slack-emulator.ts";
import { startTelegram } from "../support/telegram-emulator/start-telegram.ts";
import { waitFor } from "../support/wait-for.ts";
import { holdSlack, openSlackChannel, toRow } from "./slack-channel.ts";

setDefaultTimeout(180_000);

const root = resolve(import.meta.dirname, "../..");

const slackMethod =
  /"((?:apps|auth|chat|conversations|reactions|usergroups|users|views)\.[\w.]+)"/g;

/** A request as TypeScript: its method, and its arguments as a literal, so that unknown members are errors. */
type Sent = { method: string; args: unknown };

type Platform = {
  sent: Sent[];
  /** A request of a wrong type, which shows that the types were found. */
  wrong: Sent;
  head: string;
  /** The type of a method's arguments. */
  toType(method: string): string;
};

/** What was sent, and the errors of the compiler, which is started once for both platforms. */
let slackSent: Sent[];
let telegramSent: Sent[];
let errors: string[];
beforeAll(async () => {
  slackSent = await sendToSlack();
  telegramSent = await sendToTelegram();
  errors = await compile({
    slack: {
      sent: slackSent,
      wrong: { method: "chat.postMessage", args: { channel: "C1", text: "x", as_team: true } },
      head: 'import type { WebClient } from "@slack/web-api";',
      toType: (method) => `Parameters<WebClient${method.replace(/([^.]+)\.?/g, '["$1"]')}>[0]`,
    },
    telegram: {
      sent: telegramSent,
      wrong: { method: "sendMessage", args: { chat_id: 1, text: "x", silent: true } },
      head: `
    import type { ApiMethods as OfFiles } from "@grammyjs/types";
    type ApiMethods = OfFiles<string>;
    type Args<M extends keyof ApiMethods> = Parameters<ApiMethods[M]> extends []
      ? Record<string, never>
      : Parameters<ApiMethods[M]>[0];`,
      toType: (method) => `Args<"${method}">`,
    },
  });
});

/** The errors that the compiler finds in the requests, each with the name of its platform's file. */
async function compile(platforms: Record<string, Platform>): Promise<string[]> {
  await using folder = await createDataFolder();
  const files = Object.keys(platforms).map((name) => `${name}.ts`);
  for (const [name, { sent, wrong, head, toType }] of Object.entries(platforms)) {
    const lines = [...sent, wrong].map(
      ({ method, args }, at) => `export const r${at}: ${toType(method)} = ${JSON.stringify(args)};`,
    );
    await Bun.write(join(folder.path, `${name}.ts`), [head, ...lines].join("\n"));
  }
  const config = join(folder.path, "tsconfig.json");
  const compilerOptions = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
    target: "es2023",
    module: "esnext",
    moduleResolution: "bundler",
    typeRoots: [`${root}/node_modules/@types`],
    paths: { "*": [`${root}/node_modules/*`] },
  };
  await Bun.write(config, JSON.stringify({ compilerOptions, files }));
  const compiler = Bun.spawn([join(root, "node_modules/.bin/tsc"), "-p", config], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const text = await new Response(compiler.stdout).text();
  await compiler.exited;
  return text.split("\n").filter((line) => line.includes("error TS"));
}

const toTools = (policy: Parameters<typeof createGuardedFetch>[0]["policy"]) => ({
  fetch: createGuardedFetch({ policy }),
  signal: new AbortController().signal,
  mask() {},
  maskIgnoreCase() {},
  log: { debug() {}, info() {}, warn() {}, error() {} },
});

const card = (isOpen: boolean): ApprovalCard => ({
  id: crypto.randomUUID(),
  heading: "Approval: Deploy?",
  summary: "Deploy?",
  isOpen,
  parts: [
    { kind: "facts", facts: [["Workflow", "Deploy"] as const, ["Started by", "ada"] as const] },
    { kind: "quote", name: "Details", text: "all of it" },
    { kind: "note", text: "This is a part." },
  ],
  url: "https://hub.test/approvals/1",
});

async function askAndEnd({ approvals }: ChatAdapter, channel: OpenChannel, userId: string) {
  const place = await approvals.ask(channel, userId, card(true));
  await approvals.end(channel, place, card(false));
}

/** Uses every method of the adapter. */
async function sendToSlack(): Promise<Sent[]> {
  await using slack = startSlackEmulator();
  const ada = slack.workspace.addUser("ada");
  const ops = slack.workspace.addChannel("ops", { members: [ada] });
  const policy = { savedHosts: [new URL(slack.apiUrl).host], allow: [] };
  const tools = toTools(policy);
  const run = async (key: string, params: Record<string, unknown>) =>
    Object(await testOperation(slackConnector, key, { config: toRow(slack), params, tools }));
  const words = { type: "plain_text", text: "Yes" };
  const button = { type: "button", action_id: "yes", value: "7", text: words };
  const blocks = [{ type: "actions", elements: [button] }];
  const view = { callback_id: "ticket", notify_on_close: true, title: words, blocks };
  const place = { channel_id: ops.id };

  const sent = await run("send_message", {
    ...place,
    text: "# Deploy <!here>",
    mentions: true,
    blocks,
  });
  await run("send_message", { ...place, text: "*a*", format: "plain" });
  await run("reply", { ...place, thread_ts: sent.ts, text: "Done", broadcast: true });
  await run("update_message", { ...place, ts: sent.ts, text: "Deployed", blocks });
  await run("add_reaction", { ...place, ts: sent.ts, name: ":tada:" });
  await run("open_dm", { users: ada.id });
  await run("publish_home", { user: ada.id, view: { type: "home", blocks } });
  const click = () => {
    const [message] = ops.messages;
    if (message === undefined) throw new Error("No message.");
    return slack.act({ on: message, user: ada, actionId: "yes" }).payload.trigger_id;
  };
  const opened = await run("open_modal", { trigger_id: click(), view });
  await run("update_modal", { view_id: opened.view_id, view, hash: opened.view_hash });
  // The emulator refuses it, because no modal was clicked. Only the request is of interest.
  await run("open_modal", { trigger_id: click(), view, push: true }).catch(() => {});
  const config = readConfig(slackConnector.configFields, toRow(slack));
  for (const source of ["slack.users", "slack.channels", "slack.usergroups"])
    await runLookup(slackConnector, { config, source, query: "a" }, tools);
  const channel = openSlackChannel(slack);
  await slackAdapter.sendText(channel, { channelId: ops.id, text: "Hello" });
  await askAndEnd(slackAdapter, channel, ada.id);
  await using held = holdSlack(slack);
  await waitFor(() => held.accounts.length > 0);

  return slack.calls.map(({ method, args }) => ({ method, args: readForm(args) }));
}

test("Each method of Slack is called with the arguments of Slack's own types", async () => {
  expect(listUsed(slackSent)).toEqual(await listMethods("slack", slackMethod));
  expect(errors.filter((line) => line.includes("slack.ts"))).toEqual([
    expect.stringMatching(/'"as_team"' does not exist in type 'ChatPostMessageArguments'/),
  ]);
});

/** The library writes arguments as a form: objects as JSON, and booleans and numbers as text. */
function readForm(args: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const isJson = name === "limit" || /^(true$|false$|[{[])/.test(String(value));
      return [name, isJson ? JSON.parse(String(value)) : value];
    }),
  );
}

/** Uses every method of the adapter. */
async function sendToTelegram(): Promise<Sent[]> {
  await using telegram = startTelegram({ plainWebhooks: true });
  const bot = telegram.addBot();
  const ada = telegram.addUser({ first_name: "Ada" });
  const chat = telegram.privateChat(bot, ada);
  const config = { token: bot.token, base_url: telegram.url };
  const policy = { savedHosts: [], allow: ["127.0.0.1"] };
  const tools = toTools(policy);
  const call = async (operation: string, params: Record<string, unknown>) =>
    Object(await testOperation(telegramConnector, operation, { config, params, tools }));
  const given = { definition: telegramConnector, adapter: telegramAdapter, config };
  const held = holdTestChannel(given);
  await telegram.until(() => bot.isPolling);

  const place = { channel_id: String(chat.id) };
  const page = { text: "Page", url: "https://hub.test" };
  const buttons = [[{ text: "Yes", command: "/yes" }, page]];
  const sent = await call("send_message", { ...place, text: "**bold** `code`", buttons });
  await call("reply", { ...place, thread_ts: sent.ts, text: "Done", silent: true });
  await call("edit_message", { ...place, ts: sent.ts, text: "Deployed", buttons });
  const message = chat.messages.get(Number(sent.ts));
  if (message === undefined) throw new Error("No message.");
  const { id: callback_id } = telegram.click({ by: ada, in: chat, message, data: "/yes" });
  await call("answer_callback", { callback_id, text: "On it", show_alert: true });
  const fields = readConfig(telegramConnector.configFields, config);
  await runHealth(telegramConnector, { config: fields }, tools);
  const asked = { config: fields, source: "telegram.chats", query: String(chat.id) };
  await runLookup(telegramConnector, asked, tools);
  const { channel } = openTestChannel(given);
  await telegramAdapter.sendText(channel, { channelId: String(chat.id), text: "Hello" });
  await askAndEnd(telegramAdapter, channel, String(ada.id));
  await held.stop();
  const withWebhook = holdTestChannel({ ...given, config: { ...config, mode: "webhook" } });
  await telegram.until(() => bot.webhook !== null);
  await withWebhook.stop();
  const polling = holdTestChannel(given);
  await telegram.until(() => bot.isPolling);
  await polling.stop();

  return telegram.calls.map(({ method, params }) => ({ method, args: params }));
}

test("Each method of Telegram is called with the parameters of the published types", async () => {
  expect(listUsed(telegramSent)).toEqual(await listMethods("telegram", /\bapi\.(\w+)\(/g));
  expect(errors.filter((line) => line.includes("telegram.ts"))).toEqual([
    expect.stringMatching(/'"silent"' does not exist in type/),
  ]);
});

const listUsed = (sent: Sent[]) => [...new Set(sent.map(({ method }) => method))].sort();

/** The methods that the source of an adapter names, so that a new one is not forgotten here. */
async function listMethods(adapter: string, name: RegExp): Promise<string[]> {
  const cwd = join(root, "packages/server/src/channels", adapter);
  const found = new Set<string>();
  for await (const file of new Bun.Glob("**/*.ts").scan({ cwd, absolute: true })) {
    if (file.endsWith(".test.ts")) continue;
    for (const [, method = ""] of (await Bun.file(file).text()).matchAll(name)) found.add(method);
  }
  return [...found].sort();
}
