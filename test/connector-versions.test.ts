/** The project's own connectors through their lives as plugins, by the command line, under a running hub. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { cp, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { createLogHost } from "./support/log-host.ts";
import { type AuthorFolder, openAuthorFolder } from "./support/make-plugin.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { type RecordingHost, startRecordingHost } from "./support/recording-host.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const checkout = resolve(import.meta.dirname, "..");
const keys = ["codehost", "logs"];
const logHost = createLogHost({
  lines: [{ timeNs: BigInt(Date.now()) * 1_000_000n, labels: { app: "api" }, line: "here" }],
});

const owned = new AsyncDisposableStack();
let author: AuthorFolder;
let host: RecordingHost;
let hub: RunningHub;
let client: TestClient;

beforeAll(async () => {
  author = owned.use(await openAuthorFolder());
  host = owned.use(
    await startRecordingHost((sent) =>
      sent.target === "/user" ? { body: { login: "octocat" } } : logHost(sent),
    ),
  );
  await symlink(join(checkout, "node_modules"), join(author.path, "node_modules"), "junction");
  for (const key of keys) {
    await cp(join(checkout, "plugins", key), join(author.path, key), { recursive: true });
  }
  await publish("1.0.0");
  const catalog = join(author.path, "dist/plugins.json");
  hub = owned.use(await startHub({ env: { HUB_PLUGIN_CATALOG: catalog } }));
  client = owned.use(await connectHttp(hub.url, hub.adminToken()));
});
afterAll(() => owned.disposeAsync());

async function publish(version: string): Promise<void> {
  for (const key of keys) {
    const path = join(author.path, key, "package.json");
    await Bun.write(path, JSON.stringify({ ...(await Bun.file(path).json()), version }));
    await author.buildScript(key);
  }
  await author.wick("catalog", "--from", "dist", "--out", "dist/plugins.json");
}

async function addRow(key: string, pairs: string[]): Promise<string> {
  const set = pairs.flatMap((pair) => ["--set", pair]);
  const args = ["row", "add", key, "--label", key, ...set, "--secret-env", "token=SECRET"];
  const added = await hub.tryCli([...args, "--json"], {
    env: { SECRET: "s3cret-of-the-row-9fK2xQ7vLm4R" },
  });
  if (added.exitCode !== 0) throw new Error(added.stderr);
  return added.json<{ id: string }>().id;
}

test("rows answer with their saved secrets across update, removal and return of their plugins", async () => {
  for (const key of keys) await hub.cli("plugin", "install", key);
  const ofCode = await addRow("codehost", [`base_url=${host.url}`]);
  const logFields = ["auth_mode=token", "org_id=1", "datasource_uid=loki-1"];
  const ofLogs = await addRow("logs", [`base_url=${host.url}`, ...logFields]);
  const callBoth = async () => {
    const answers = [
      await client.execute(`conn:${ofCode}/get_me`),
      await client.execute(`conn:${ofLogs}/labels`),
    ];
    const logins = host.takeSent().map(({ headers }) => headers.authorization);
    return { values: answers.map(({ value }) => value), logins };
  };
  const works = {
    values: [{ login: "octocat" }, { labels: ["app"] }],
    logins: ["Bearer s3cret-of-the-row-9fK2xQ7vLm4R", "Bearer s3cret-of-the-row-9fK2xQ7vLm4R"],
  };
  const listVersions = async () =>
    (await hub.cli("plugin", "list", "--json"))
      .json<Array<{ key: string; version: string }>>()
      .map(({ key, version }) => `${key} ${version}`);
  expect(await callBoth()).toMatchObject(works);

  await publish("1.1.0");
  await hub.cli("plugin", "update", "--all");
  expect(await listVersions()).toEqual(["codehost 1.1.0", "logs 1.1.0"]);
  expect(await callBoth()).toMatchObject(works);

  for (const key of keys) await hub.cli("plugin", "remove", key);
  expect(await callBoth()).toMatchObject({
    values: [{ code: "not_found" }, { code: "not_found" }],
    logins: [],
  });

  for (const key of keys) await hub.cli("plugin", "install", key);
  expect(await callBoth()).toMatchObject(works);
});
