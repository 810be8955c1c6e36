/** Plugins on the command line: progress on a terminal, documents for programs. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { copyFile, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { someOf } from "@hub/server/lib/testing/amount.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { takeBuiltPlugin } from "../support/build-once.ts";
import { runCommand } from "../support/command-process.ts";
import { toProgramCommand } from "../support/compile-programs.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { type AuthorFolder, openAuthorFolder } from "../support/make-plugin.ts";
import { hubMain, layHub, toHubEnv } from "../support/run-cli.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let author: AuthorFolder;
let archive: string;
let dataDir: string;
/** How the site serves an archive. */
let send: (res: ServerResponse, bytes: Uint8Array) => void;
let address: string;
/** Of a small archive, for tests that do not look at how long its parts take. */
let smallAddress: string;

beforeAll(async () => {
  author = owned.use(await openAuthorFolder());
  await author.wick("init", "tracker");
  archive = await author.buildScript("tracker");
  // Its verification takes long enough for a progress line.
  const large = await takeBuiltPlugin("tracker", join(author.path, "built"));
  const bytes = await Bun.file(large.archive).bytes();
  const small = await Bun.file(archive).bytes();
  const site = createServer(({ url }, res) => send(res, url?.startsWith("/small") ? small : bytes));
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  owned.defer(() => void site.close());
  const { port } = site.address() as AddressInfo;
  const toAddress = (folder: string) =>
    `http://127.0.0.1:${port}/${folder}/${basename(archive)}?token=${"x".repeat(60)}`;
  address = toAddress("download");
  smallAddress = toAddress("small");
});
afterAll(() => owned.disposeAsync());

beforeEach(async () => {
  dataDir = owned.use(await createDataFolder()).path;
  await layHub({ dataDir }, []);
  send = (res, bytes) => res.end(bytes);
});

test.each(
  someOf(1, [80, 40]),
)("plugin install shows download progress on a terminal of %d columns", async (cols) => {
  const halfSeen = Promise.withResolvers<void>();
  send = async (res, bytes) => {
    res.setHeader("content-length", bytes.length);
    res.write(bytes.subarray(0, bytes.length / 2));
    await halfSeen.promise;
    res.end(bytes.subarray(bytes.length / 2));
  };
  const terminal = installOnTerminal(cols);
  const half = await waitFor(() => terminal.listLines().find((line) => /[45]\d%$/.test(line)));
  expect(half).toMatch(/^Downloading tracker-\S* \[=+-+\] +\d+%$/);
  halfSeen.resolve();
  expect(await terminal.exited).toBe(0);
  await waitFor(() => terminal.listLines().includes("Installed."));
  const lines = terminal.listLines();
  const last = lines.indexOf("Installed.");
  expect(lines.slice(0, last).map((line) => line.split(" ")[0])).toContain("Verifying");
  for (const line of lines.slice(0, last)) {
    expect(Bun.stringWidth(line), line).toBeLessThan(cols);
    expect(line).not.toContain("token");
  }
  checkCleanEnd(terminal.raw(), "Installed.");
});

test("a failed download removes the progress line and prints the error", async () => {
  send = (res) => res.writeHead(410).end();
  const terminal = installOnTerminal(80);
  expect(await terminal.exited).toBe(1);
  // The answer may be wider than the terminal.
  await waitFor(() => / answered 410 for /.test(terminal.raw()));
  checkCleanEnd(terminal.raw(), "error:");
});

test("plugin install prints no progress if standard error is not a terminal", async () => {
  const { exitCode, stdout, stderr } = await runCommand({ dataDir }, [
    "plugin",
    "install",
    smallAddress,
  ]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toStartWith("Installed.\n");
});

test("plugin list names the version of a refused plugin, and why it was refused", async () => {
  await run("plugin", "install", archive);
  const env = { HUB_PLUGIN_REQUIRE_SIGNATURE: "1" };
  const { stdout } = await runCommand({ dataDir, env }, ["plugin", "list"]);
  expect(stdout).toMatch(/^tracker +0\.1\.0 +- +- +refused$/m);
  expect(stdout).toContain("tracker 0.1.0: The plugin tracker was refused (check: signature).");
  const json = await runCommand({ dataDir, env }, ["plugin", "list", "--json"]);
  expect(json.json()).toMatchObject([{ version: null, refused_version: "0.1.0" }]);
});

test("update --all prints one document with every plugin, including failed updates", async () => {
  await author.wick("init", "other");
  const other = await author.buildScript("other", "dist-other");
  const catalog = join(author.path, "plugins.json");
  const env = { HUB_PLUGIN_CATALOG: catalog };
  await writeCatalog(catalog, "0.1.0", { other, tracker: archive });
  for (const key of ["other", "tracker"]) {
    expect((await runCommand({ dataDir, env }, ["plugin", "install", key])).exitCode).toBe(0);
  }
  await raiseVersion("other");
  const later = await author.buildScript("other", "dist-other");
  await writeCatalog(catalog, "0.2.0", { other: later, tracker: join(author.path, "none.zip") });

  const first = await runCommand({ dataDir, env }, ["plugin", "update", "--all", "--json"]);
  expect(first.exitCode).toBe(1);
  const [updated, failed, ...more] = first.json<Array<Record<string, unknown>>>();
  expect(updated).toMatchObject({
    key: "other",
    version: "0.2.0",
    previous_version: "0.1.0",
    updated: true,
  });
  expect(failed).toMatchObject({ key: "tracker", updated: false, code: "not_found" });
  expect(more).toEqual([]);
  expect(JSON.parse(first.stderr)).toMatchObject({
    plugin: "tracker",
    code: "not_found",
    error: String(failed?.error),
  });

  const second = await runCommand({ dataDir, env }, ["plugin", "update", "--all"]);
  expect(second.exitCode).toBe(1);
  expect(second.stdout).toBe("other 0.2.0 is up to date.\n");
  expect(second.stderr).toMatch(/^error: tracker: .*none\.zip.*\n$/);
  await rm(catalog);
});

test("an archive from another source is refused without --replace, and the error names both sources", async () => {
  await run("plugin", "install", archive);
  const elsewhere = join(author.path, "download.zip");
  await copyFile(archive, elsewhere);
  const refused = await runCommand({ dataDir }, ["plugin", "install", elsewhere, "--json"]);
  expect(refused.exitCode).toBe(1);
  const problem = JSON.parse(refused.stderr);
  expect(problem).toMatchObject({ code: "plugin_refused", check: "source" });
  for (const words of [archive, elsewhere, "--replace"]) expect(problem.error).toContain(words);

  await run("plugin", "install", elsewhere, "--replace");
  const catalog = join(author.path, "replacing.json");
  await writeCatalog(catalog, "0.2.0", { tracker: archive });
  const env = { HUB_PLUGIN_CATALOG: catalog };
  const updated = await runCommand({ dataDir, env }, ["plugin", "update", "tracker"]);
  expect([updated.exitCode, updated.stderr]).toEqual([1, expect.stringContaining("--replace")]);
  const replaced = await runCommand({ dataDir, env }, ["plugin", "update", "tracker", "--replace"]);
  expect([replaced.exitCode, replaced.stderr]).toEqual([0, ""]);
  const all = await runCommand({ dataDir, env }, ["plugin", "update", "--all", "--replace"]);
  expect([all.exitCode, all.stderr]).toEqual([2, expect.stringContaining("one plugin at a time")]);
});

nightlyTest("update --all shows the plugin that it is downloading", async () => {
  const catalog = join(dataDir, "plugins.json");
  await writeCatalog(catalog, "0.1.0", { tracker: archive });
  await runCommand({ dataDir, env: { HUB_PLUGIN_CATALOG: catalog } }, [
    "plugin",
    "install",
    "tracker",
  ]);
  await writeCatalog(catalog, "0.2.0", { tracker: smallAddress });
  const halfSeen = Promise.withResolvers<void>();
  send = async (res, bytes) => {
    res.setHeader("content-length", bytes.length);
    res.write(bytes.subarray(0, bytes.length / 2));
    await halfSeen.promise;
    res.end(bytes.subarray(bytes.length / 2));
  };
  const env = { HUB_PLUGIN_CATALOG: catalog };
  const terminal = startOnTerminal(80, ["plugin", "update", "--all"], env);
  const half = await waitFor(() => terminal.listLines().find((line) => /[45]\d%$/.test(line)));
  expect(half).toMatch(/^Downloading tracker \[=+-+\] +\d+%$/);
  halfSeen.resolve();
  await terminal.exited;
});

/** Writes a catalog with one version of these plugins, each with an archive for this machine. */
async function writeCatalog(
  path: string,
  version: string,
  archives: Record<string, string>,
): Promise<void> {
  const platform = /-(\w+)-(\w+)\.zip$/.exec(archive)?.slice(1).join("/") ?? "";
  const entries = Object.entries(archives).map(([key, asset]) => ({
    key,
    name: "",
    description: "",
    version,
    assets: { [platform]: asset },
  }));
  await writeFile(path, JSON.stringify(entries));
}

/** Starts the install of the site's archive in a new terminal. */
function installOnTerminal(cols: number) {
  return startOnTerminal(cols, ["plugin", "install", address]);
}

function startOnTerminal(cols: number, args: string[], env: Record<string, string> = {}) {
  let raw = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn([...toProgramCommand(hubMain), ...args], {
    env: { ...toHubEnv({ dataDir, env }), TERM: "xterm" },
    cwd: dataDir,
    terminal: {
      cols,
      rows: 24,
      data: (_, chunk) => {
        raw += decoder.decode(chunk, { stream: true });
      },
    },
  });
  owned.defer(() => child.terminal?.close());
  return {
    exited: child.exited,
    raw: () => raw,
    // The line is redrawn from the first column each time.
    listLines: () =>
      raw
        .replaceAll("\u001b[1G", "\n")
        .split(/\r?\n/)
        .map((line) => stripVTControlCharacters(line).trimEnd())
        .filter(Boolean),
  };
}

/** Checks that the progress line is erased before other output, and that the cursor is visible. */
function checkCleanEnd(raw: string, next: string): void {
  expect(raw).toContain(`\u001b[2K${next}`);
  expect(raw.lastIndexOf("\u001b[?25h")).toBeGreaterThan(raw.lastIndexOf("\u001b[?25l"));
}

async function run(...args: string[]): Promise<void> {
  const { exitCode, stderr } = await runCommand({ dataDir }, args);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
}

async function raiseVersion(key: string): Promise<void> {
  const path = join(author.path, key, "package.json");
  await writeFile(path, (await Bun.file(path).text()).replace('"0.1.0"', '"0.2.0"'));
}
