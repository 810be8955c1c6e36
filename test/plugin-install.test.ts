/** A plugin as its author makes it, brought into a running hub in every way there is. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { connectHttp, connectStdio } from "./support/connect-sdk-1.ts";
import { connectHttp as connectHttp2 } from "./support/connect-sdk-2.ts";
import { type AuthorFolder, openAuthorFolder } from "./support/make-plugin.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let author: AuthorFolder;
let hub: RunningHub;
let clients: TestClient[];
let rowId: string;
/** What the hub of the stdio client has logged. */
let stdioLog = "";
let sources: Record<string, string>;

beforeAll(async () => {
  author = owned.use(await openAuthorFolder());
  await author.wick("init", "tracker");
  const zip = await author.buildScript("tracker");
  await author.wick("catalog", "--from", "dist", "--out", "dist/plugins.json");
  const folder = await author.unpack(zip, "unpacked");
  const tar = join(author.path, "tracker.tar.gz");
  expect(Bun.spawnSync(["tar", "-czf", tar, "-C", folder, "."]).exitCode).toBe(0);
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (req) => new Response(Bun.file(join(author.path, "dist", basename(req.url)))),
  });
  owned.defer(() => site.stop(true));
  sources = {
    "a catalog's name": "tracker",
    "a folder": folder,
    "a .zip file": zip,
    "a .tar.gz file": tar,
    "an address": `${site.url}${basename(zip)}`,
  };
  hub = owned.use(
    await startHub({ isHere: true, env: { HUB_PLUGIN_CATALOG: `${site.url}plugins.json` } }),
  );
  await cli("plugin", "install", zip);
  const row = await cli("row", "add", "tracker", "--label", "T", "--json");
  rowId = row.json<{ id: string }>().id;
  await cli("plugin", "remove", "tracker");
  clients = [
    owned.use(await connectHttp(hub.url, hub.adminToken())),
    owned.use(await connectHttp2(hub.url, hub.adminToken())),
    // Another process on the same folder, which was there before as well.
    owned.use(
      await connectStdio({ dataDir: hub.dataDir }, (text) => {
        stdioLog += text;
      }),
    ),
  ];
});
afterAll(() => owned.disposeAsync());

/** Runs a command in a process of its own, as an admin does: it has ended when the next call comes. */
async function cli(...args: string[]) {
  const result = await hub.tryCli(args);
  if (result.exitCode !== 0) throw new Error(`hub ${args.join(" ")}: ${result.stderr}`);
  return result;
}

const toolId = () => `conn:${rowId}/greet`;
const greetAll = () =>
  Promise.all(clients.map((client) => client.execute(toolId(), { who: "Ada" })));
const listAll = () =>
  Promise.all(
    clients.map(async (client) => {
      const { value } = await client.call("hub_list");
      return value.tools.some((tool: { tool_id: string }) => tool.tool_id === toolId());
    }),
  );

// The row stays, so each way but the first is another source, which only --replace accepts.
// Nothing waits in here: what a command has done is there for the very next call of a client.
test.each([
  "a catalog's name",
  "a folder",
  "a .zip file",
  "a .tar.gz file",
  "an address",
])("what is installed by %s is called by the next call, and after removal by none", async (way) => {
  const installed = await cli("plugin", "install", "--replace", sources[way] ?? "", "--json");
  expect(installed.json()).toMatchObject({ key: "tracker", version: "0.1.0", enabled: true });
  for (const { value } of await greetAll()) {
    // The log says why a call failed inside the hub.
    const log = value.code === "internal" ? `${hub.stderr()}\n${stdioLog}` : "";
    expect({ value, log }).toEqual({ value: { text: "Hello, Ada!" }, log: "" });
  }
  expect(await listAll()).toEqual([true, true, true]);

  await cli("plugin", "remove", "tracker");
  for (const { isError } of await greetAll()) expect(isError).toBeTrue();
  expect(await listAll()).toEqual([false, false, false]);
});

nightlyTest("a switch is obeyed by the next call, and so is another version", async () => {
  await cli("plugin", "install", "--replace", sources["a folder"] ?? "");
  await cli("plugin", "disable", "tracker");
  for (const { isError } of await greetAll()) expect(isError).toBeTrue();
  const tried = await hub.tryCli(["row", "test", "T", "greet", "--param", "who=Ada"]);
  expect(tried.stderr).toContain("see `hub plugin list`");
  await cli("plugin", "enable", "tracker");
  for (const { value } of await greetAll()) expect(value).toEqual({ text: "Hello, Ada!" });

  await raiseVersion();
  await cli("plugin", "install", "--replace", await author.buildScript("tracker"));
  for (const { value } of await greetAll()) expect(value).toEqual({ text: "Hello, Ada! Welcome." });
});

async function raiseVersion(): Promise<void> {
  await replaceIn("package.json", '"0.1.0"', '"0.2.0"');
  await replaceIn("src/connector.ts", "!`", "! Welcome.`");
}

async function replaceIn(file: string, from: string, to: string): Promise<void> {
  const path = join(author.path, "tracker", file);
  const text = await readFile(path, "utf8");
  expect(text).toContain(from);
  await writeFile(path, text.replace(from, to));
}
