import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  mkdir,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Invocation } from "../connectors/connector-port.ts";
import { createConnectorRegistry } from "../connectors/registry.ts";
import { nightlyTest } from "../lib/testing/nightly-test.ts";
import { findFileStamp, findStableStamp } from "./installed/file-stamp.ts";
import { createInstalledPlugins } from "./installed/installed-plugins.ts";
import { toPluginFolders } from "./installed/plugin-folders.ts";
import { createProgramRecords, type ProgramRecords } from "./installed/program-records.ts";
import { pruneVersions } from "./installed/prune-versions.ts";
import {
  type CraftedPlugin,
  craftPlugin,
  toMembers,
  writePluginFolder,
} from "./testing/craft-plugin.ts";
import { craftTar } from "./testing/craft-tar.ts";
import { findFailure } from "./testing/find-failure.ts";
import { openPluginBench } from "./testing/open-plugin-bench.ts";
import {
  describePlugin,
  openTrust,
  testHubVersion,
  testPlatform,
} from "./testing/open-test-plugin-host.ts";
import { createTestRecords } from "./testing/test-records.ts";

let bench: Awaited<ReturnType<typeof openPluginBench>>;
let released: Array<[key: string, next: string | null]>;

beforeEach(async () => {
  released = [];
  bench = await openPluginBench({
    release: (key, next) => released.push([key, next?.version ?? null]),
  });
});
afterEach(() => bench.close());

const version = (text: string) => craftPlugin({ manifest: { version: text } });
// The described connector does not use the call.
const invoke = async () => await bench.registry.find("tracker")?.invoke({} as Invocation);

test("An installed plugin and a folder that was copied by hand are registered", async () => {
  await bench.installCrafted(craftPlugin());
  await writePluginFolder(join(bench.dataDir, "plugins", "other"), craftPlugin({ key: "other" }));
  await bench.host.sync();
  expect(bench.registry.list().map(({ key, tier }) => `${tier} ${key}`)).toEqual([
    "plugin other",
    "plugin tracker",
  ]);
});

test("A folder and both types of archive can be installed, also with a top-level folder", async () => {
  const plugin = craftPlugin();
  const members = toMembers(plugin);
  const wrapped = members.map((member) => ({ ...member, name: `tracker-1.0.0/${member.name}` }));
  const tar = await craftTar(
    members.map(({ name, content }) => ({
      header: { name: `./${name}` },
      content: String(content),
    })),
  );
  for (const source of [
    await bench.writeFolder(plugin),
    await bench.writeZip(members),
    await bench.writeZip(wrapped),
    await bench.writeSource("plugin.tar.gz", tar),
  ]) {
    expect(await bench.install(source)).toMatchObject({ key: "tracker", problem: null });
    await bench.host.remove("tracker");
  }
});

test("Only manifest, program and signature are taken from an archive", async () => {
  const extra = { name: "bunfig.toml", content: "preload = 'x'" };
  const { plugin } = await bench.install(
    await bench.writeZip([...toMembers(craftPlugin()), extra]),
  );
  expect((await readdir(plugin?.dir ?? "")).sort()).toEqual([
    "plugin.json",
    // The hub's own record of the source.
    "source.json",
    "tracker",
  ]);
});

test("An update replaces the connector, and running calls finish (trap 27)", async () => {
  await bench.installCrafted(version("1.0.0"));
  await bench.installCrafted(version("1.1.0"));
  expect(await invoke()).toEqual({ version: "1.1.0" });
  expect(released).toEqual([
    ["tracker", "1.0.0"],
    ["tracker", "1.1.0"],
  ]);
});

test("An update replaces a folder that was copied by hand", async () => {
  await writePluginFolder(join(bench.dataDir, "plugins", "tracker"), version("1.0.0"));
  await bench.host.sync();
  await bench.installCrafted(version("1.1.0"), { replace: true });
  expect(await invoke()).toEqual({ version: "1.1.0" });
});

test("A scan without changes changes nothing, also in a new process (trap 27)", async () => {
  await bench.installCrafted(craftPlugin());
  const generation = bench.registry.generation();
  released = [];
  await bench.host.sync();
  await bench.host.sync();
  expect(bench.registry.generation()).toBe(generation);
  expect(released).toEqual([]);
});

test("A verified program is not read again until its files change", async () => {
  const { plugin } = await bench.installCrafted(craftPlugin());
  const installed = createInstalledPlugins({
    folders: toPluginFolders(bench.dataDir),
    verify: {
      trust: openTrust,
      hostPlatform: testPlatform,
      hubVersion: testHubVersion,
      reservedKeys: new Set(),
    },
    records: createTestRecords(),
  });
  const [first] = await installed.scan();
  const [second] = await installed.scan();
  expect(second).toBe(first);
  await Bun.write(plugin?.binaryPath ?? "", "program of tracker");
  const [third] = await installed.scan();
  expect(third).not.toBe(first);
  expect(third?.refusal).toBeNull();
});

test("A program that another process verified is not read again, any other program is", async () => {
  const { plugin } = await bench.installCrafted(craftPlugin());
  const path = plugin?.binaryPath ?? "";
  await Bun.write(path, "program of trackeX");
  while ((await findStableStamp(path, Date.now())) === null) await Bun.sleep(5);
  const scan = async (records: ProgramRecords) => {
    const folders = toPluginFolders(bench.dataDir);
    const verify = {
      trust: openTrust,
      hostPlatform: testPlatform,
      hubVersion: testHubVersion,
      reservedKeys: new Set<string>(),
    };
    const [folder] = await createInstalledPlugins({ folders, verify, records }).scan();
    return folder?.refusal?.detail ?? null;
  };
  const records = createTestRecords();
  expect(await scan(records)).toMatchObject({ check: "sha256" });
  // A false record shows that the hub relies on it.
  const stamp = (await findFileStamp(path)) ?? "";
  await records.put("tracker", { stamp, sha256: plugin?.manifest.sha256 ?? "", cosign: "" });
  expect(await scan(records)).toBeNull();
});

test("A disabled plugin leaves the registry in every process and returns when enabled", async () => {
  await bench.installCrafted(craftPlugin());
  await bench.host.disable("tracker");
  expect(bench.registry.find("tracker")).toBeNull();
  expect(released.at(-1)).toEqual(["tracker", null]);
  expect(await bench.host.find("tracker")).toMatchObject({ enabled: false, problem: null });
  await bench.host.enable("tracker");
  expect(bench.registry.find("tracker")).not.toBeNull();
});

test("An update does not enable a disabled plugin; a new install after removal enables it", async () => {
  await bench.installCrafted(version("1.0.0"));
  await bench.host.disable("tracker");
  expect(await bench.installCrafted(version("1.1.0"))).toMatchObject({ enabled: false });
  await bench.host.remove("tracker");
  expect(await bench.installCrafted(version("1.1.0"))).toMatchObject({ enabled: true });
});

test("Removing a plugin keeps only its data, and removing it with its data keeps nothing", async () => {
  const home = toPluginFolders(bench.dataDir).homeOf("tracker");
  await bench.installCrafted(version("1.0.0"));
  await bench.installCrafted(version("1.1.0"));
  await writeFile(join(home, "memory"), "stored");
  await bench.host.remove("tracker");
  expect(bench.registry.find("tracker")).toBeNull();
  expect(await bench.listFiles()).toEqual(["data/plugins/.homes/tracker/memory"]);
  // Also if it is no longer installed. The second time, nothing is left to remove.
  await bench.host.remove("tracker", { withData: true });
  expect(await bench.listFiles()).toEqual([]);
  expect(await readdir(home).catch(() => null)).toBeNull();
  const again = bench.host.remove("tracker", { withData: true });
  expect(await findFailure(again)).toMatchObject({ code: "not_found" });
});

test.each([
  ["data", ".homes"],
  ["versions", ".versions"],
])("If a plugin's %s cannot be removed, the removal fails", async (_, name) => {
  await bench.installCrafted(version("1.0.0"));
  const folder = join(bench.dataDir, "plugins", name);
  await rm(folder, { recursive: true });
  await writeFile(folder, "in the way");
  const removed = bench.host.remove("tracker", { withData: true });
  expect(await findFailure(removed)).toMatchObject({ code: "ENOTDIR" });
});

test("The folders of plugins are readable by the hub's user only", async () => {
  await bench.installCrafted(version("1.0.0"));
  const root = join(bench.dataDir, "plugins");
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory());
  const open: string[] = [];
  for (const { parentPath, name } of folders) {
    const { mode } = await stat(join(parentPath, name));
    if ((mode & 0o7777) !== 0o700) open.push(`${name}: ${(mode & 0o7777).toString(8)}`);
  }
  expect(folders.map(({ name }) => name)).toContainValues([".versions", ".homes", "connectors"]);
  expect(open).toEqual([]);
});

test("The reason why a plugin is not registered is logged once, and again if it changes", async () => {
  const logged: unknown[] = [];
  const log = { info() {}, error() {}, warn: (fields: object) => logged.push(fields) };
  const host = bench.openHost({ log, registry: createConnectorRegistry() });
  const folder = join(bench.dataDir, "plugins", "tracker");
  await writePluginFolder(folder, craftPlugin({ key: "other" }));
  await host.sync();
  await host.sync();
  const ofKey = { plugin: "tracker", problem: expect.stringContaining("check: key") };
  expect(logged).toEqual([ofKey]);
  await writeFile(join(folder, "plugin.json"), "{");
  await host.sync();
  const ofManifest = { plugin: "tracker", problem: expect.stringContaining("check: manifest") };
  expect(logged).toEqual([ofKey, ofManifest]);
});

test("Only a valid plugin key can name data to remove (path traversal)", async () => {
  await writeFile(join(bench.dataDir, "kept"), "kept");
  await mkdir(join(bench.dataDir, "plugins", ".homes"), { recursive: true });
  for (const key of ["../../kept", "..", ".", "", "a/../../../kept"]) {
    const failure = findFailure(bench.host.remove(key, { withData: true }));
    expect(await failure).toMatchObject({ code: "not_found" });
  }
  expect(await bench.listFiles()).toEqual(["data/kept"]);
});

describe("the data folder of a version-1 program, found from its own path", () => {
  /** The same as in its SDK. */
  const findData = (program: string) => {
    const folder = dirname(program);
    expect(folder).toEndWith(join("plugins", "connectors", basename(folder)));
    return join(folder, "..", "..", basename(folder));
  };

  test("All versions share the plugin's home, also after the data folder was moved", async () => {
    const before = (await bench.installCrafted(version("1.0.0"))).plugin?.binaryPath ?? "";
    await writeFile(join(findData(before), "memory"), "stored");
    const after = (await bench.installCrafted(version("1.1.0"))).plugin?.binaryPath ?? "";
    expect(after).not.toBe(before);
    // Both exist while calls of the first version continue.
    expect(await readFile(join(findData(before), "memory"), "utf8")).toBe("stored");
    expect(await readFile(join(findData(after), "memory"), "utf8")).toBe("stored");
    const other = await bench.installCrafted(craftPlugin({ key: "other" }));
    expect(await readdir(findData(other.plugin?.binaryPath ?? ""))).toEqual([]);

    const moved = join(bench.folder, "moved");
    await rename(bench.dataDir, moved);
    const there = after.replace(bench.dataDir, moved);
    expect(await readFile(join(findData(there), "memory"), "utf8")).toBe("stored");
    await rename(moved, bench.dataDir);
  });

  test("A version-1 plugin with the key connectors is refused", async () => {
    const make = (proto_version: number) =>
      craftPlugin({ key: "connectors", manifest: { proto_version } });
    const failure = await findFailure(bench.installCrafted(make(1)));
    expect(failure).toMatchObject({ code: "plugin_refused", detail: { check: "key" } });
    expect(await bench.installCrafted(make(2))).toMatchObject({ problem: null });
  });
});

describe("a version that an older hub installed", () => {
  const folders = () => toPluginFolders(bench.dataDir);
  const link = () => readlink(folders().link("tracker"));

  /** Installs a plugin in the layout of older hubs. */
  async function installOldLayout(plugin: CraftedPlugin, id = "0190-old"): Promise<string> {
    const dir = join(folders().versionsOf("tracker"), id);
    await writePluginFolder(dir, plugin);
    await writeFile(join(dir, "source.json"), '{"kind":"folder","place":"/x","version":"1.0.0"}');
    await symlink(folders().toLinkTarget("tracker", id), folders().link("tracker"));
    return dir;
  }
  const startHost = async (host = bench.host) => {
    await host.start({ staysOpen: false });
    return (await host.find("tracker")).plugin;
  };

  test("An old layout is migrated at start from a verified copy and keeps its source", async () => {
    const old = await installOldLayout(version("1.0.0"));
    const plugin = await startHost();
    expect(plugin?.dir).toEndWith(join("plugins", "connectors", "tracker"));
    expect((await readdir(plugin?.dir ?? "")).sort()).toEqual([
      "plugin.json",
      "source.json",
      "tracker",
    ]);
    // Another process may run from it.
    expect(await readdir(old)).toContain("tracker");
    const target = await link();
    await startHost();
    expect(await link()).toBe(target);
    expect(await readdir(folders().staging)).toEqual([]);
  });

  test("An old layout with a changed program is not migrated and is refused", async () => {
    const old = await installOldLayout({ ...version("1.0.0"), program: "another program" });
    await bench.host.start({ staysOpen: false });
    expect(await bench.host.find("tracker")).toMatchObject({
      plugin: null,
      problem: expect.stringContaining("(check: sha256)"),
    });
    expect(join(bench.dataDir, "plugins", await link())).toBe(old);
    expect(await readdir(folders().staging)).toEqual([]);
  });

  test("The migration refuses links in place of files", async () => {
    const old = await installOldLayout(version("1.0.0"));
    await rm(join(old, "tracker"));
    await symlink("/bin/true", join(old, "tracker"));
    await bench.host.start({ staysOpen: false });
    expect((await bench.host.find("tracker")).problem).toContain("(check: program)");
    expect(await readdir(folders().versionsOf("tracker"))).toEqual(["0190-old"]);
  });

  test("Two processes that migrate at once leave a complete plugin", async () => {
    await installOldLayout(version("1.0.0"));
    const other = bench.openHost({ registry: createConnectorRegistry() });
    const [one, two] = await Promise.all([startHost(), startHost(other)]);
    for (const plugin of [one, two]) expect(plugin?.dir).toEndWith(join("connectors", "tracker"));
    await pruneVersions(folders(), Date.now() + 60 * 60_000);
    expect(await bench.host.find("tracker")).toMatchObject({ problem: null });
    await other.stop();
  });
});

test("A version whose inner folders are links to elsewhere is refused", async () => {
  const { plugin } = await bench.installCrafted(version("1.0.0"));
  const connectors = dirname(plugin?.dir ?? "");
  const elsewhere = join(bench.folder, "elsewhere");
  await rename(connectors, elsewhere);
  await symlink(elsewhere, connectors);
  expect(await bench.host.find("tracker")).toMatchObject({
    plugin: null,
    problem: expect.stringContaining("a broken link, or one that points elsewhere"),
  });
  await bench.host.sync();
  expect(bench.registry.find("tracker")).toBeNull();
});

test("Removing a plugin deletes the record of its verification", async () => {
  const records = createProgramRecords({ db: bench.db, folderName: null, now: Date.now });
  await bench.installCrafted(version("1.0.0"));
  await records.put("tracker", { stamp: "1", sha256: "ab", cosign: "" });
  await bench.host.remove("tracker");
  expect(await records.find("tracker")).toBeNull();
});

test("A plugin whose folder was deleted by hand is unregistered, and listing plugins registers nothing", async () => {
  await bench.installCrafted(craftPlugin());
  await rm(join(bench.dataDir, "plugins"), { recursive: true });
  expect(await bench.host.list()).toEqual([]);
  await expect(bench.host.find("tracker")).rejects.toMatchObject({ code: "not_found" });
  expect(bench.registry.find("tracker")).not.toBeNull();
  await bench.host.sync();
  expect(bench.registry.find("tracker")).toBeNull();
});

test("The error for an unknown plugin suggests a similar key", async () => {
  await bench.installCrafted(craftPlugin());
  for (const verb of ["enable", "disable", "remove"] as const) {
    await expect(bench.host[verb]("trakcer")).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("tracker"),
    });
  }
});

test("Replaced versions are kept for some time, and the current one always", async () => {
  const folders = toPluginFolders(bench.dataDir);
  for (const text of ["1.0.0", "1.1.0", "1.2.0"]) await bench.installCrafted(version(text));
  expect(await readdir(folders.versionsOf("tracker"))).toHaveLength(3);
  await pruneVersions(folders, Date.now() + 15 * 60_000);
  expect(await readdir(folders.versionsOf("tracker"))).toHaveLength(1);
  expect((await bench.host.find("tracker")).plugin?.version).toBe("1.2.0");
});

test("A replaced version is kept as long after a slow download", async () => {
  await bench.installCrafted(version("1.0.0"));
  let nowMs = Date.now();
  const host = bench.openHost({ now: () => nowMs });
  const source = await bench.writeZip(toMembers(version("1.1.0")));
  await host.install(source, {
    cwd: bench.sources,
    replace: true,
    onProgress: ({ phase }) => {
      if (phase === "verifying") nowMs += 15 * 60_000;
    },
  });
  const folders = toPluginFolders(bench.dataDir);
  expect(await readdir(folders.versionsOf("tracker"))).toHaveLength(2);
  await pruneVersions(folders, nowMs + 15 * 60_000);
  expect(await readdir(folders.versionsOf("tracker"))).toHaveLength(1);
  await host.stop();
});

test("Readers during an update find each manifest with its own program (trap 29)", async () => {
  const toVersion = (at: number) =>
    craftPlugin({ program: `program ${at}`, manifest: { version: `1.0.${at}` } });
  await bench.installCrafted(toVersion(0));
  let isDone = false;
  const reading = (async () => {
    const problems: Array<string | null> = [];
    while (!isDone) {
      const installed = createInstalledPlugins({
        folders: toPluginFolders(bench.dataDir),
        verify: {
          trust: openTrust,
          hostPlatform: testPlatform,
          hubVersion: testHubVersion,
          reservedKeys: new Set(),
        },
        records: createTestRecords(),
      });
      const folders = await installed.scan();
      problems.push(folders.length === 1 ? (folders[0]?.refusal?.message ?? null) : "it was gone");
    }
    return problems;
  })();
  for (let at = 1; at <= 20; at += 1) await bench.installCrafted(toVersion(at));
  isDone = true;
  const problems = await reading;
  expect(problems.length).toBeGreaterThan(5);
  expect(problems.filter((problem) => problem !== null)).toEqual([]);
});

nightlyTest("A watching host logs that it cannot read the plugins, and continues", async () => {
  const { promise: failed, resolve } = Promise.withResolvers<object>();
  const log = { info() {}, warn() {}, error: resolve };
  const { promise: registered, resolve: register } = Promise.withResolvers<string>();
  let isBroken = false;
  const watching = bench.openHost({
    log,
    registry: createConnectorRegistry(),
    async createConnector(plugin) {
      if (!isBroken) {
        isBroken = true;
        throw new Error("out of memory");
      }
      register(plugin.version);
      return describePlugin(plugin);
    },
  });
  await watching.start({ staysOpen: true });
  await bench.installCrafted(version("1.4.0"));
  expect(await failed).toMatchObject({ err: { message: "out of memory" } });
  expect(await registered).toBe("1.4.0");
  await watching.stop();
});

test("A watching host registers a plugin that another process installs", async () => {
  const { promise: registered, resolve } = Promise.withResolvers<string>();
  const registry = createConnectorRegistry();
  const watching = bench.openHost({
    registry,
    createConnector: async (plugin) => {
      resolve(plugin.version);
      return describePlugin(plugin);
    },
  });
  await watching.start({ staysOpen: true });
  await bench.installCrafted(version("1.4.0"));
  expect(await registered).toBe("1.4.0");
  await watching.stop();
});
