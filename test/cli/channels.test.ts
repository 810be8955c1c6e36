/** `hub channel`: the channels of a data folder and their slugs. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CommandProcess, startCommandProcess } from "../support/command-process.ts";
import { createDataFolder } from "../support/data-folder.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let commands: CommandProcess;
let folder: string;

beforeAll(async () => {
  const { path: dataDir } = owned.use(await createDataFolder());
  folder = dataDir;
  commands = owned.use(startCommandProcess({ dataDir, env: { BOT_TOKEN: "xoxb-1-2-three" } }));
  expect((await run("channel", "list")).stdout).toContain("There are no channels.");
  const add = (connector: string, field: string, label: string) =>
    run("row", "add", connector, "--label", label, "--secret-env", `${field}=BOT_TOKEN`);
  await add("slack", "bot_token", "Team Chat");
  await add("telegram", "token", "Visitors");
});
afterAll(() => owned.disposeAsync());

const none = { workflows: [], is_cut: false };

const run = (...argv: string[]) => commands.run({ argv });

test("Rows of chat connectors are channels, with a slug made of the label", async () => {
  const { stdout } = await run("channel", "list");
  expect(stdout).toMatch(/^team-chat +slack +Team Chat +stopped/m);
  expect(stdout).toMatch(/^visitors +telegram +Visitors +stopped/m);
  const shown = (await run("channel", "show", "team-chat", "--json")).json<object>();
  expect(shown).toMatchObject({ slug: "team-chat", connector: "slack", named_in: none });
  expect(JSON.stringify(shown)).not.toContain("xoxb-1-2-three");
});

test("A channel gets another slug, which no other channel has", async () => {
  const taken = await run("channel", "set", "team-chat", "--slug", "visitors");
  expect([taken.exitCode, taken.stdout]).toEqual([1, ""]);
  expect(taken.stderr).toContain("visitors");
  const invalid = await run("channel", "set", "team-chat", "--slug", "Team Chat");
  expect(invalid.stderr).toContain("lower-case letters, digits and hyphens");
  const set = await run("channel", "set", "team-chat", "--slug", "support");
  expect(set.stdout).toBe('"Team Chat" has the slug support.\n');
  expect((await run("channel", "show", "support")).stdout).toContain("No workflow names it.");
  const former = await run("channel", "show", "team-chat");
  expect(former.exitCode).toBe(1);
  expect((await run("channel", "show", "Team Chat", "--json")).json()).toMatchObject({
    slug: "support",
  });
});

test("A changed slug names the workflows that have the former one", async () => {
  const nodes = [{ id: "say", type: "channel", channel: "visitors", op: "send_message", args: {} }];
  const file = join(folder, "answer.json");
  await writeFile(file, JSON.stringify({ schema: 1, triggers: [], nodes, edges: [] }));
  await run("user", "add", "ada@example.com");
  const owner = ["--owner", "ada@example.com", "--file", file];
  const { id } = (await run("workflow", "new", "Answer", ...owner, "--json")).json<{
    id: string;
  }>();
  const row = new RegExp(`^${id} +Answer +node say, draft +visitors$`, "m");
  expect((await run("channel", "show", "visitors")).stdout).toMatch(row);
  const set = await run("channel", "set", "visitors", "--slug", "guests");
  expect(set.stdout).toContain(
    '"Visitors" has the slug guests. These workflows name the former slug.',
  );
  expect(set.stdout).toMatch(row);
  const again = await run("channel", "set", "guests", "--slug", "people", "--json");
  expect(again.json()).toMatchObject({ slug: "people", still_named_in: none });
});
