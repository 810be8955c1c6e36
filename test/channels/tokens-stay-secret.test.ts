/**
 * Protects: no token of a channel, and nothing made from one, reaches a step, the log, an answer, an error, the
 * command line or the database, whatever fails at the platform.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { someOf } from "@hub/server/lib/testing/amount.ts";
import { readDatabaseParts } from "../support/read-database-parts.ts";
import { findSecrets } from "../support/secret-forms.ts";
import { startSlackEmulator } from "../support/slack-emulator/slack-emulator.ts";
import { startTelegram } from "../support/telegram-emulator/start-telegram.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

test("After every fault of both platforms, no token is anywhere but at the platforms", async () => {
  await using slack = startSlackEmulator();
  await using telegram = startTelegram({ plainWebhooks: true, webhookRetryMs: 1 });
  const [bot, hook] = [telegram.addBot(), telegram.addBot()];
  const flows = await startWorkflowHub({ isHere: true, env: { HUB_LOG_LEVEL: "trace" } });
  await using hub = flows.hub;
  const { botToken, appToken, signingSecret } = slack.workspace;
  const secrets = new Set([botToken, appToken, signingSecret]);
  for (const { token } of [bot, hook]) secrets.add(token).add(token.split(":")[1] ?? "");
  /** Everything that left the hub. */
  const seen: string[] = [];
  const api = async (method: string, path: string, body?: unknown) => {
    const answer = await flows.api(method, path, body);
    seen.push(`${method} ${path} ${JSON.stringify(answer)}`);
    return answer;
  };
  const addRow = async (connector: string, label: string, values: object) =>
    String((await api("POST", "/manager/api/rows", { connector, label, values })).body.id);
  const tokens = { bot_token: botToken, app_token: appToken, signing_secret: signingSecret };
  const work = await addRow("slack", "Work", { base_url: slack.apiUrl, ...tokens });
  const base = { base_url: telegram.url };
  const polling = await addRow("telegram", "Bot", { ...base, token: bot.token });
  const webhook = await addRow("telegram", "Hook", { ...base, token: hook.token, mode: "webhook" });
  await slack.connected();
  await telegram.until(() => bot.isPolling && hook.webhook !== null);
  secrets.add(hook.webhook?.secretToken ?? "");

  const send = (id: string, channel: string, args: Record<string, unknown>) =>
    ({ id, type: "channel", channel, op: "send_message", args, on_error: "continue" }) as const;
  const workflow = await flows.publish({
    triggers: [{ id: "start", type: "manual", entry: "slack" }],
    nodes: [
      send("slack", "work", { channel_id: "C0NOTHING", text: "Hi" }),
      send("bot", "bot", { channel_id: "1", text: "Hi" }),
      { id: "copy", type: "set", value: ["{{.Node.slack}}", "{{.Node.bot}}"] },
    ],
    edges: [
      { from: "slack", to: "bot" },
      { from: "bot", to: "copy" },
    ],
  });
  const runs = `/manager/api/workflows/${workflow}/runs`;
  /** Uses the channels in every way, and reads everything about them. */
  const useAll = async () => {
    const { body: run } = await api("POST", runs, { payload: {}, wait_s: 25 });
    await api("GET", `${runs}/${run.run_id}`);
    for (const id of [work, polling, webhook]) {
      await api("POST", `/manager/api/rows/${id}/health`, {});
      for (const part of ["", "/channel"]) await api("GET", `/manager/api/rows/${id}${part}`);
    }
    for (const source of ["slack.users", "slack.channels"]) {
      await api("GET", `/channels/work/lookup?source=${source}&q=${crypto.randomUUID()}`);
    }
    for (const path of ["/manager/api/channels", "/manager/api/runs", "/admin/api/changes"]) {
      await api("GET", path);
    }
  };
  const readState = async (id: string) =>
    (await api("GET", `/manager/api/rows/${id}/channel`)).body.state;

  await useAll();
  for (const how of someOf(1, [
    "drop",
    "lose answer",
    "bad gateway",
    { retryAfterS: 1 },
  ] as const)) {
    for (const method of ["sendMessage", "getMe", "getUpdates"] as const) {
      telegram.failNext(method, how);
    }
    bot.endPoll([]);
    await useAll();
  }
  for (const error of someOf(1, ["invalid_auth", "internal_error", "channel_not_found"])) {
    for (const method of ["chat.postMessage", "auth.test", "users.list"]) {
      slack.failCalls(method, error);
    }
    await useAll();
  }
  await telegram.goAway();
  await useAll();
  telegram.comeBack();
  slack.drop();
  await slack.connected();
  const post = async (headers: Record<string, string>, slug: string) => {
    const url = `${hub.url}/channels/${slug}/events`;
    const answer = await fetch(url, { method: "POST", headers, body: "{}" });
    seen.push(`${slug} ${JSON.stringify([...answer.headers])} ${await answer.text()}`);
    return answer.status;
  };
  expect(await post({ "x-telegram-bot-api-secret-token": "wrong" }, "hook")).toBe(401);
  expect(await post({ "x-slack-signature": "v0=wrong" }, "work")).toBe(404);
  slack.revoke(appToken);
  bot.revoke();
  await waitFor(async () => (await readState(work)) === "failed");
  await waitFor(async () => (await readState(polling)) === "failed");
  await useAll();
  for (const words of [
    ["channel", "list"],
    ["channel", "show", "work"],
    ["row", "show", polling],
  ]) {
    seen.push((await hub.cli(...words)).stdout);
    seen.push((await hub.cli(...words, "--json")).stdout);
  }
  const examined = await hub.tryCli(["doctor"]);
  seen.push(examined.stdout, examined.stderr);
  expect(examined.stdout).toContain("bot: ");

  // Also in the journal, which the stop empties.
  const parts = await readParts(hub.dataDir);
  await hub.stop();
  parts.push(...(await readParts(hub.dataDir)));
  parts.push({ name: "log", bytes: Buffer.from(hub.stderr() + hub.stdout()) });
  for (const text of seen) parts.push({ name: text.slice(0, 2000), bytes: Buffer.from(text) });
  const found = parts.flatMap(({ name, bytes }) =>
    findSecrets(bytes, secrets).map((secret) => `${secret} in ${name}`),
  );
  expect(found).toEqual([]);
});

/** All files of the data folder except the key file, and its database. */
async function readParts(dataDir: string) {
  const parts = readDatabaseParts(dataDir);
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile() && one.name !== "keys.json")) {
    const bytes = await Bun.file(join(entry.parentPath, entry.name)).bytes();
    parts.push({ name: entry.name, bytes });
  }
  return parts;
}
