/** Protects: a server that is killed while it receives messages of Telegram loses none and runs none twice. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { createDataFolder } from "../support/data-folder.ts";
import { startHub } from "../support/start-hub.ts";
import { startTelegram } from "../support/telegram-emulator/start-telegram.ts";
import { openWorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(120_000);

test("Messages of Telegram start one run each, though the server is killed between runs and offset", async () => {
  await using telegram = startTelegram();
  await using folder = await createDataFolder();
  const bot = telegram.addBot();
  const ada = telegram.addUser();
  const chat = telegram.privateChat(bot, ada);
  const first = await startHub({ dataDir: folder.path });
  const flow = await openWorkflowHub(first);
  await first.tryCli(
    [
      ...["row", "add", "telegram", "--label", "Bot", "--tag", "everyone"],
      ...["--set", `base_url=${telegram.url}`, "--secret-env", "token=BOT_TOKEN"],
    ],
    { env: { BOT_TOKEN: bot.token } },
  );
  const id = await flow.publish({
    schema: 1,
    triggers: [
      { id: "said", type: "channel", entry: "done", channel: "bot", event: "message", match: {} },
    ],
    nodes: [{ id: "done", type: "set", value: "{{.Event.Payload.text}}" }],
    edges: [],
  });
  await telegram.until(() => bot.isPolling);

  const said = Array.from({ length: 60 }, (_, index) => `message ${index}`);
  for (const text of said.slice(0, 30)) telegram.say({ from: ada, in: chat, text });
  // The server has the first updates, and has confirmed few of them or none.
  await telegram.until(() => telegram.callsOf("getUpdates").some(({ status }) => status === 200));
  await first.kill();
  for (const text of said.slice(30)) telegram.say({ from: ada, in: chat, text });

  await using second = await startHub({ dataDir: folder.path });
  const after = await openWorkflowHub(second);
  await telegram.until(() => !bot.hasUpdates && bot.isPolling);
  const { body } = await after.api("GET", `/manager/api/workflows/${id}/runs?limit=200`);
  const runs = Object(body).runs;
  expect(runs).toHaveLength(said.length);
  const texts = await Promise.all(
    runs.map(async (run: { id: string }) => {
      const shown = await after.api("GET", `/manager/api/workflows/${id}/runs/${run.id}`);
      return Object(shown.body).event.Payload.text;
    }),
  );
  expect(texts.toSorted()).toEqual(said.toSorted());
  const [, secret = ""] = bot.token.split(":");
  for (const output of [first.stderr(), first.stdout(), second.stderr(), second.stdout()]) {
    expect(output).not.toContain(secret);
  }
  expect(JSON.stringify(body)).not.toContain(secret);
  for await (const name of new Glob("**/*").scan(folder.path)) {
    const stored = Buffer.from(await Bun.file(join(folder.path, name)).arrayBuffer());
    expect([name, stored.includes(secret)]).toEqual([name, false]);
  }
});
