/** A hub as a file: what one hub exports makes another one that exports the same bytes. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import type { HubFile, HubFileReport } from "@hub/contract/hub-file.ts";
import { parse, stringify } from "yaml";
import { type CommandProcess, startCommandProcess } from "../support/command-process.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";

setDefaultTimeout(60_000);

const owned = new AsyncDisposableStack();
afterAll(() => owned.disposeAsync());

type TestHub = { folder: DataFolder; run: (...argv: string[]) => ReturnType<CommandProcess["run"]> };

async function openHub(env: Record<string, string> = {}): Promise<TestHub> {
  const folder = owned.use(await createDataFolder());
  const commands = owned.use(startCommandProcess({ dataDir: folder.path }));
  return { folder, run: (...argv) => commands.run({ argv, env }) };
}

async function succeed(hub: TestHub, ...argv: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await hub.run(...argv);
  expect([argv.join(" "), exitCode, stderr.includes("rror")]).toEqual([argv.join(" "), 0, false]);
  return stdout;
}

const exportText = (hub: TestHub) => succeed(hub, "export");

async function apply(hub: TestHub, text: string, ...options: string[]) {
  await Bun.write(join(hub.folder.path, "hub.yaml"), text);
  const result = await hub.run("apply", "hub.yaml", "--json", ...options);
  const report: Partial<HubFileReport> & { error?: string } = JSON.parse(
    result.stdout || result.stderr,
  );
  return { exitCode: result.exitCode, ...report };
}

const listed = (report: Partial<HubFileReport>) =>
  (report.changes ?? []).map(({ action, kind }) => `${action} ${kind}`);

const secrets = { TRACKER_TOKEN: "the-tracker's-token", HOOK: "the-hook's-secret" };

/** A hub made by commands, with every kind of thing that a file has. */
let made: TestHub;
let text: string;

beforeAll(async () => {
  made = await openHub(secrets);
  const run = (...argv: string[]) => succeed(made, ...argv);
  await run("user", "add", "ada@example.com", "--admin", "--tag", "support");
  await run("user", "add", "bob@example.com", "--tag", "dev", "--tag", "support");
  await run("user", "disable", "bob@example.com");
  await run(
    ...["row", "add", "http", "--label", "Tracker: it's the [first] #1", "--tag", "support"],
    ...["--description", "Two\nlines", "--set", "base_url=https://tracker.example.com"],
    ...["--set", "auth_mode=bearer", "--secret-env", "token=TRACKER_TOKEN"],
  );
  await run("row", "add", "http", "--label", "Other", "--set", "base_url=https://other.example");
  await run("row", "disable", "Other");
  await run("op", "disable", "Other", "delete");
  await run(
    ...["row", "add", "slack", "--label", "Team chat", "--incomplete"],
    ...["--set", "include_edits=true"],
  );
  await run("channel", "set", "team-chat", "--slug", "team");
  await run("type", "disable", "telegram");
  await run("setting", "set", "HUB_AUDIT_RETENTION_DAYS", "30");
  const body = {
    triggers: [
      { id: "hook", type: "webhook", path: "orders", entry: "one", secret_ref: "HOOK" },
      { id: "hand", type: "manual", entry: "one", as_tool: true },
    ],
    nodes: [{ id: "one", type: "set", value: { long: 1, text: "yes", number: "012" } }],
    edges: [],
  };
  const file = join(made.folder.path, "body.json");
  await Bun.write(file, JSON.stringify(body).replace('"long":1', '"long":12345678901234567890'));
  const created = JSON.parse(
    await run(
      ...["workflow", "new", "Orders", "--owner", "ada@example.com", "--file", file, "--json"],
    ),
  );
  await run("workflow", "secret", "set", created.id, "HOOK", "--env", "HOOK");
  await run("workflow", "publish", created.id, "--yes");
  await run("workflow", "tags", created.id, "--tag", "support");
  text = await exportText(made);
});

test("What one hub exports makes an empty hub that exports the same bytes, once its secrets are given", async () => {
  expect(text).not.toContain("the-tracker's-token");
  expect(text).toContain("12345678901234567890");
  const empty = await openHub(secrets);
  const given = text
    .replace("token: keep", "token: env:TRACKER_TOKEN")
    .replace("HOOK: keep", "HOOK: env:HOOK");
  const first = await apply(empty, given);
  expect([first.exitCode, first.error]).toEqual([0, undefined]);
  expect(await exportText(empty)).toBe(text);
  expect(await apply(empty, given)).toMatchObject({ exitCode: 0, changes: [] });
  expect(await apply(empty, text)).toMatchObject({ exitCode: 0, changes: [] });
});
