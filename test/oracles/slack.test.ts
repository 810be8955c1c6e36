/** The Slack connector with an emulated Web API that others wrote. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import {
  createGuardedFetch,
  readConfig,
  runHealth,
  runLookup,
  testOperation,
} from "@hub/connector";
import { slackConnector } from "@hub/server/channels/slack/slack-connector.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { type SlackService, startSlackService } from "./support/slack-service.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let slack: SlackService;
let config: Record<string, string>;
let fetch: ReturnType<typeof createGuardedFetch>;

beforeAll(async () => {
  const home = owned.use(await createDataFolder());
  slack = owned.use(await startSlackService(home.path));
  const policy = { savedHosts: [new URL(slack.apiUrl).host], allow: [] };
  fetch = createGuardedFetch({ policy });
  config = { bot_token: slack.token, app_token: "xapp-1", base_url: slack.apiUrl };
});

afterAll(() => owned.disposeAsync());

const silent = () => {};
const toTools = () => ({
  fetch,
  signal: new AbortController().signal,
  mask: silent,
  maskIgnoreCase: silent,
  log: { debug: silent, info: silent, warn: silent, error: silent },
});

const run = async (key: string, params: Record<string, unknown>) =>
  Object(await testOperation(slackConnector, key, { config, params, tools: toTools() }));

/** Asks the emulator itself. */
async function ask(method: string, body: Record<string, string>) {
  const headers = { authorization: `Bearer ${slack.token}` };
  const init = { method: "POST", headers, body: new URLSearchParams(body) };
  return Object(await (await globalThis.fetch(`${slack.apiUrl}${method}`, init)).json());
}

async function look(source: string, query: string) {
  const values = { config: readConfig(slackConnector.configFields, config), source, query };
  return await runLookup(slackConnector, values, toTools());
}

test("Messages, threads, changes, reactions and direct messages arrive as they were sent", async () => {
  const [general] = await look("slack.channels", "general");
  const channel = general?.id ?? "";
  const text = "**Deploy** & <!channel> [log](https://a.example/1)";
  const sent = await run("send_message", { channel_id: channel, text });
  await run("reply", { channel_id: channel, thread_ts: sent.ts, text: "done" });
  await run("add_reaction", { channel_id: channel, ts: sent.ts, name: "tada" });
  const { messages } = await ask("conversations.replies", { channel, ts: sent.ts });
  expect(messages).toMatchObject([
    { text: "*Deploy* &amp; &lt;!channel&gt; <https://a.example/1|log>", ts: sent.ts },
    { text: "done", thread_ts: sent.ts },
  ]);
  expect(messages[0].reactions).toMatchObject([{ name: "tada", count: 1 }]);
  await run("update_message", { channel_id: channel, ts: sent.ts, text: "changed" });
  const after = await ask("conversations.replies", { channel, ts: sent.ts });
  expect(after.messages[0].text).toBe("changed");

  const [ben] = await look("slack.users", "ben");
  const dm = await run("open_dm", { users: ben?.id });
  expect(await run("send_message", { channel_id: dm.channel_id, text: "hi" })).toMatchObject({
    channel_id: dm.channel_id,
  });
});

test("A modal is opened with a trigger id, changed, and a home page is published", async () => {
  const view = {
    callback_id: "ask",
    title: { type: "plain_text", text: "Ask" },
    blocks: [{ type: "section", text: { type: "mrkdwn", text: "*x*" } }],
  };
  const { trigger_id } = await ask("views.generateTriggerId", {});
  const opened = await run("open_modal", { trigger_id, view });
  const given = { view_id: opened.view_id, hash: opened.view_hash, view };
  expect((await run("update_modal", given)).view_id).toBe(opened.view_id);
  const [ada] = await look("slack.users", "ada");
  const home = { blocks: view.blocks };
  expect((await run("publish_home", { user: ada?.id, view: home })).view_id).toBeString();
  await expect(run("open_modal", { trigger_id, view })).rejects.toThrow("trigger_id");
});

test("A refusal is named, and the health check names the workspace", async () => {
  await expect(run("send_message", { channel_id: "C0NOWHERE", text: "x" })).rejects.toThrow(
    "channel_not_found",
  );
  const values = { config: readConfig(slackConnector.configFields, config) };
  expect(await runHealth(slackConnector, values, toTools())).toEqual({
    ok: true,
    reason: "@ada of the workspace Work.",
  });
});
