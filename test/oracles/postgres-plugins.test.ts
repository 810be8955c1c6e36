/** Plugins of servers with different data folders that use one PostgreSQL database. */

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { access, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { craftPlugin, toMembers } from "@hub/server/plugins/testing/craft-plugin.ts";
import { craftZip } from "@hub/server/plugins/testing/craft-zip.ts";
import { findHostPlatform } from "@hub/server/plugins/verify/check-platform.ts";
import { SQL } from "bun";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { bundleMain } from "../support/bundle-main.ts";
import { connectHttp } from "../support/connect-sdk-1.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { type AuthorFolder, openAuthorFolder } from "../support/make-plugin.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { hubMain, toHubEnv } from "../support/run-cli.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";
import { openMigrated } from "./support/migrated-database.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let createDatabase: () => Promise<string>;
let author: AuthorFolder;

const operations = `
    about: { description: "Returns its version.", run: () => ({ version: VERSION }) },
    wait: {
      description: "Waits for a file.",
      input: { Path: wick("required") },
      async run({ params }) {
        await Bun.write(params.Path + ".waits", "");
        while (!(await Bun.file(params.Path).exists())) await Bun.sleep(10);
        return { version: VERSION };
      },
    },
`;

beforeAll(async () => {
  createDatabase = await openMigrated(owned.use(await startPostgres()));
  author = owned.use(await openAuthorFolder());
  await author.wick("init", "tracker");
  const path = join(author.path, "tracker/src/connector.ts");
  const source = (await readFile(path, "utf8"))
    .replace(/operations: \{/, `operations: {${operations}`)
    .replace("export const", 'const VERSION = "0.0.0";\n\nexport const');
  await writeFile(path, source);
});
afterAll(() => owned.disposeAsync());

const archives = new Map<string, string>();

/** The archive of a version of the plugin, whose operations return it. Each is built once. */
async function build(version: string): Promise<string> {
  const archive = archives.get(version) ?? (await buildNow(version));
  archives.set(version, archive);
  return archive;
}

async function buildNow(version: string): Promise<string> {
  const folder = join(author.path, "tracker");
  for (const [file, pattern, text] of [
    ["package.json", /"version": ".*?"/, `"version": "${version}"`],
    ["src/connector.ts", /VERSION = ".*?"/, `VERSION = "${version}"`],
  ] as const) {
    const path = join(folder, file);
    await writeFile(path, (await readFile(path, "utf8")).replace(pattern, text));
  }
  return await author.buildScript("tracker");
}

type Cluster = AsyncDisposable & {
  hubs: RunningHub[];
  env: Record<string, string>;
  token: string;
  toolId(operation: string): string;
  /** Starts one more server, on a folder that exists or on a new one. */
  start(options?: { dataDir?: string; env?: Record<string, string> }): Promise<RunningHub>;
  /** The version that answers a call, or the code of its failure. */
  ask(hub: RunningHub): Promise<string>;
};

/** Servers on one database, with a row of the plugin, which is installed by the first one. */
async function openCluster(count: number): Promise<Cluster> {
  const resources = new AsyncDisposableStack();
  const env = {
    HUB_DATABASE_URL: await createDatabase(),
    HUB_ENC_KEY: "5a".repeat(32),
  };
  const hubs: RunningHub[] = [];
  const start: Cluster["start"] = async (options = {}) => {
    const hub = await startHub({ ...options, env: { ...env, ...options.env } });
    hubs.push(resources.use(hub));
    return hub;
  };
  for (let made = 0; made < count; made += 1) await start();
  const [first] = hubs;
  if (first === undefined) throw new Error("A cluster has a server.");
  await first.cli("plugin", "install", await build("1.0.0"));
  const row = await first.cli("row", "add", "tracker", "--label", "T", "--json");
  const { id } = row.json<{ id: string }>();
  const { token } = await first.addUser("ann@example.com", { admin: true });
  return {
    hubs,
    env,
    token,
    start,
    toolId: (operation) => `conn:${id}/${operation}`,
    async ask(hub) {
      await using client = await connectHttp(hub.url, token);
      const { value } = await client.execute(`conn:${id}/about`);
      return value.version ?? value.code;
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** Asks until the answer is this one. Every answer before must be among `others`. */
async function waitForAnswer(
  cluster: Cluster,
  hub: RunningHub,
  { answer, others }: { answer: string; others: string[] },
): Promise<void> {
  await waitFor(async () => {
    const found = await cluster.ask(hub);
    if (found !== answer) expect(others).toContain(found);
    return found === answer;
  });
}

test("Servers take up what one of them installs, updates and removes", async () => {
  await using cluster = await openCluster(3);
  const { hubs } = cluster;
  const [one, two, three] = hubs;
  if (!one || !two || !three) throw new Error("There are three.");
  expect(await cluster.ask(one)).toBe("1.0.0");
  for (const hub of [two, three]) {
    // "not_found" until the server has heard of the install.
    const others = ["not_found", "plugin_unavailable"];
    await waitForAnswer(cluster, hub, { answer: "1.0.0", others });
  }
  // An update on the second server; a call on the third finishes on the process of the old version.
  const release = join(author.path, crypto.randomUUID());
  await using client = await connectHttp(three.url, cluster.token);
  const call = client.execute(cluster.toolId("wait"), { path: release });
  await waitFor(() =>
    access(`${release}.waits`)
      .then(() => true)
      .catch(() => false),
  );
  await two.cli("plugin", "install", await build("1.1.0"));
  for (const hub of [one, three]) {
    await waitForAnswer(cluster, hub, { answer: "1.1.0", others: ["1.0.0"] });
  }
  await writeFile(release, "");
  expect((await call).value).toEqual({ version: "1.0.0" });
  // Every server refuses a version that is older than the installed one.
  const older = await three.tryCli(["plugin", "install", await build("1.0.0")]);
  expect(older.stderr).toContain("--allow-downgrade");
  // Switches and removals are obeyed by the next call.
  await three.cli("plugin", "disable", "tracker");
  for (const hub of hubs) expect(await cluster.ask(hub)).toBe("not_found");
  await one.cli("plugin", "enable", "tracker");
  for (const hub of hubs) expect(await cluster.ask(hub)).toBe("1.1.0");
  await two.cli("plugin", "remove", "tracker");
  for (const hub of hubs) {
    expect(await cluster.ask(hub)).toBe("not_found");
    expect((await hub.cli("plugin", "list", "--json")).json()).toEqual([]);
  }
});

nightlyTest(
  "A server whose folder was deleted, and a new one, have the plugins at their first call",
  async () => {
    await using cluster = await openCluster(1);
    await using folder = await createDataFolder();
    const again = await cluster.start({ dataDir: folder.path });
    await again.stop();
    await rm(folder.path, { recursive: true });
    await mkdir(folder.path, { mode: 0o700 });
    for (const options of [{ dataDir: folder.path }, {}]) {
      expect(await cluster.ask(await cluster.start(options))).toBe("1.0.0");
    }
  },
);

nightlyTest(
  "Of installs on several servers at the same time one wins, and all servers end with it",
  async () => {
    await using cluster = await openCluster(3);
    const archives = [await build("2.0.0"), await build("2.1.0"), await build("2.2.0")];
    const outcomes = await Promise.all(
      cluster.hubs.map((hub, at) => hub.tryCli(["plugin", "install", archives[at] ?? ""])),
    );
    const won = outcomes.filter(({ exitCode }) => exitCode === 0);
    expect(won.length).toBeGreaterThan(0);
    for (const { exitCode, stderr } of outcomes) {
      if (exitCode !== 0) expect(stderr).toMatch(/at the same time|--allow-downgrade/);
    }
    await using database = new SQL({ url: cluster.env.HUB_DATABASE_URL ?? "", max: 1 });
    const [installed] = await database.unsafe("select version from plugin_installs");
    for (const hub of cluster.hubs) {
      await waitFor(async () => (await cluster.ask(hub)) === installed.version);
    }
  },
);

nightlyTest(
  "An install that is killed while it stores its archive leaves the old version everywhere",
  async () => {
    await using cluster = await openCluster(2);
    const [one, two] = cluster.hubs;
    if (!one || !two) throw new Error("There are two.");
    const archive = await buildLarge("3.0.0");
    await using database = new SQL({ url: cluster.env.HUB_DATABASE_URL ?? "", max: 1 });
    const countChunks = async () => {
      const [found] = await database.unsafe("select count(*)::int as chunks from plugin_chunks");
      return found.chunks;
    };
    const before = await countChunks();
    const command = [process.execPath, bundleMain(hubMain), "plugin", "install", archive];
    const child = Bun.spawn(command, {
      env: toHubEnv({ dataDir: one.dataDir, env: cluster.env }),
      cwd: author.path,
      stdio: ["ignore", "ignore", "ignore"],
    });
    await waitFor(async () => (await countChunks()) > before + 3);
    child.kill("SIGKILL");
    await child.exited;
    const [{ version }] = await database.unsafe("select version from plugin_installs");
    expect(version).toBe("1.0.0");
    for (const hub of [one, two]) {
      await waitForAnswer(cluster, hub, { answer: "1.0.0", others: ["plugin_unavailable"] });
    }
    await one.cli("plugin", "install", archive);
    expect(await cluster.ask(one)).toBe("3.0.0");
    await waitForAnswer(cluster, two, { answer: "3.0.0", others: ["1.0.0"] });
  },
);

/** An archive of 24 MiB that does not compress. */
async function buildLarge(version: string): Promise<string> {
  const small = await author.unpack(await build(version), `unpacked-${version}`);
  const manifest = JSON.parse(await readFile(join(small, "plugin.json"), "utf8"));
  const text = await readFile(join(small, "tracker"), "utf8");
  // The shell has replaced itself by the program before it reads this.
  const program = `${text}# ${randomBytes(24 * 1024 * 1024).toString("base64")}\n`;
  const { module } = manifest;
  const os_arch = [findHostPlatform()];
  const plugin = craftPlugin({ key: "tracker", program, manifest: { version, os_arch, module } });
  const path = join(author.path, `dist/tracker-${version}-${os_arch[0]?.replace("/", "-")}.zip`);
  await writeFile(path, craftZip(toMembers(plugin)));
  return path;
}

nightlyTest("A server that refuses a plugin says why, and the others use it", async () => {
  await using cluster = await openCluster(1);
  const strict = await cluster.start({ env: { HUB_PLUGIN_REQUIRE_SIGNATURE: "1" } });
  expect(await cluster.ask(strict)).toBe("plugin_unavailable");
  const reason = "Version 1.0.0 is installed for all servers, but this server cannot use it.";
  await waitFor(() => strict.stderr().includes(`plugin not taken up. ${reason}`));
  const [one] = cluster.hubs;
  // Doctor on another machine names the server.
  const doctor = await one?.cli("doctor", "--json");
  const { checks } = doctor?.json<{ checks: Array<Record<string, string>> }>() ?? { checks: [] };
  expect(checks.find(({ name }) => name === "plugins")).toMatchObject({
    status: "warn",
    message: expect.stringMatching(new RegExp(`tracker on process ${strict.pid} of .*: ${reason}`)),
  });
  const manage = await one?.makeManageToken();
  const shown = await fetch(`${strict.url}/manager/api/plugins/tracker`, {
    headers: { authorization: `Bearer ${manage}` },
  });
  expect(await shown.json()).toMatchObject({
    awaited_version: "1.0.0",
    problem: expect.stringContaining("check: signature"),
  });
  expect(one === undefined ? null : await cluster.ask(one)).toBe("1.0.0");
  expect(await readdir(join(strict.dataDir, "plugins"))).not.toContain("tracker");
});
