/** Protects: a server that is killed while it receives messages of Telegram loses none and runs none twice. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";
import { createDataFolder } from "../support/data-folder.ts";
import { queryDatabase } from "../support/query-database.ts";
import { startHub } from "../support/start-hub.ts";
import { startTelegram } from "../support/telegram-emulator/start-telegram.ts";
import { usesPostgres } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { openWorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

/** The runs are stored, and the offset is not. */
const refuseOffset = usesPostgres
  ? "alter table channel_states add constraint no_offset check (cursor is null)"
  : "create trigger no_offset before update of cursor on channel_states when new.cursor is not null begin select raise(abort, 'no offset'); end";
const allowOffset = usesPostgres
  ? "alter table channel_states drop constraint no_offset"
  : "drop trigger no_offset";

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
  queryDatabase(folder.path, refuseOffset);

  const said = Array.from({ length: 60 }, (_, index) => `message ${index}`);
  for (const text of said.slice(0, 30)) telegram.say({ from: ada, in: chat, text });
  const countRuns = () => queryDatabase(folder.path, "select 1 from workflow_runs");
  await waitFor(() => countRuns().length === 30);
  await first.kill();
  expect(bot.hasUpdates).toBe(true);
  queryDatabase(folder.path, allowOffset);
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
