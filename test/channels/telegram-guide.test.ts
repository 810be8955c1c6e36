/** The guide to Telegram is correct: its commands run against an emulator, and their output matches. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join, resolve } from "node:path";
import { createDataFolder } from "../support/data-folder.ts";
import { runGuide } from "../support/run-guide.ts";
import { startHub } from "../support/start-hub.ts";
import { startTelegram } from "../support/telegram-emulator/start-telegram.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(180_000);

const guide = resolve(import.meta.dirname, "../../docs/guide/telegram.md");

test("Every command of the guide to Telegram prints the output that the guide shows", async () => {
  await using owned = new AsyncDisposableStack();
  const { path: cwd } = owned.use(await createDataFolder());
  const telegram = owned.use(startTelegram());
  const hub = owned.use(await startHub());
  const bot = telegram.addBot();
  const ada = telegram.addUser();
  const chat = telegram.privateChat(bot, ada);
  const text = await Bun.file(guide).text();
  const [, body = ""] = /```json\n([\s\S]*?)^```/m.exec(text) ?? [];
  await Bun.write(join(cwd, "status.json"), body);
  const [before = "", after = ""] = text
    .replace(/7000000001:AAH\w{32}/, bot.token)
    .replace("token=BOT_TOKEN\nid", `token=BOT_TOKEN --set base_url=${telegram.url}\nid`)
    .split("Open the bot in Telegram");
  const port = Number(new URL(telegram.url).port);
  await runGuide({ guide: before, hub, outsidePort: port, cwd });
  await telegram.until(() => bot.isPolling);
  telegram.say({ from: ada, in: chat, text: "/status web" });
  await telegram.until(() => telegram.callsOf("sendMessage").some(({ status }) => status === 200));
  expect([...chat.messages.values()].at(-1)).toMatchObject({
    text: "web is green.",
    entities: [{ type: "bold", offset: 0, length: 3 }],
    reply_to_message: { text: "/status web" },
  });
  await waitFor(async () => {
    const { stdout } = await hub.cli("workflow", "runs", "answer-status");
    return stdout.includes("succeeded");
  });
  await runGuide({ guide: after, hub, outsidePort: port, cwd });
  expect(telegram.faults).toEqual([]);
});
