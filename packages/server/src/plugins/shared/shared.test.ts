import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  deletePluginInstall,
  findPluginChunk,
  listPluginInstalls,
  putPluginChunk,
} from "../../store/plugins/plugin-installs.ts";
import { listPluginProblems } from "../../store/plugins/plugin-problems.ts";
import { insertInstance } from "../../store/servers/instances.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { toPluginFolders } from "../installed/plugin-folders.ts";
import { craftPlugin, toMembers, writePluginFolder } from "../testing/craft-plugin.ts";
import { craftZip } from "../testing/craft-zip.ts";
import { openSharedBench } from "../testing/open-shared-bench.ts";

let bench: Awaited<ReturnType<typeof openSharedBench>>;

beforeEach(async () => {
  bench = await openSharedBench();
});
afterEach(() => bench.close());

const version = (text: string) => craftPlugin({ manifest: { version: text } });
const readInstall = async () => (await listPluginInstalls(bench.db))[0];

async function listFiles(dataDir: string): Promise<string[]> {
  const entries = await readdir(join(dataDir, "plugins"), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

describe("a plugin that one server installs", () => {
  test("The other servers take it up, in every version", async () => {
    const [one, two] = [bench.openServer("one"), bench.openServer("two")];
    await one.install(version("1.0.0"));
    await two.host.follow();
    expect(await two.findVersion()).toBe("1.0.0");
    await two.install(version("1.1.0"));
    await one.host.follow();
    expect(await one.findVersion()).toBe("1.1.0");
    // Calls in progress finish on the process that is released.
    expect([one.released, two.released]).toEqual([
      ["1.0.0", "1.1.0"],
      ["1.0.0", "1.1.0"],
    ]);
  });

  test("A server that starts has it before it answers calls, also with an empty folder", async () => {
    const one = bench.openServer("one");
    await one.install(version("1.0.0"));
    await one.install(craftPlugin({ key: "other" }));
    await one.host.stop();
    await rm(one.dataDir, { recursive: true });
    for (const name of ["one", "two"]) {
      const started = bench.openServer(name);
      await started.host.start({ staysOpen: true });
      expect(started.listKeys()).toEqual(["other", "tracker"]);
    }
  });

  test("Until it is fetched, it is awaited, and can be disabled and removed", async () => {
    const [one, two] = [bench.openServer("one"), bench.openServer("two")];
    await one.install(version("1.0.0"));
    await two.host.sync();
    expect(two.registry.isAwaited("tracker")).toBeTrue();
    expect(await two.host.find("tracker")).toMatchObject({
      plugin: null,
      awaitedVersion: "1.0.0",
      problem:
        "Version 1.0.0 is installed for all servers. The server of this data folder has not fetched it yet.",
    });
    await two.host.disable("tracker");
    expect(two.registry.isAwaited("tracker")).toBeFalse();
    await one.host.sync();
    expect(one.listKeys()).toEqual([]);
    await two.host.remove("tracker");
    expect(await readInstall()).toBeUndefined();
  });

  test("A removed plugin is not called any more, and its files are removed", async () => {
    const [one, two] = [bench.openServer("one"), bench.openServer("two")];
    await one.install(version("1.0.0"));
    await two.host.follow();
    await one.host.remove("tracker");
    await two.host.sync();
    expect([two.listKeys(), await two.host.list()]).toEqual([[], []]);
    await two.host.follow();
    expect(await listFiles(two.dataDir)).toEqual([]);
  });

  test("Its archive leaves the database with the version", async () => {
    const one = bench.openServer("one");
    const readIds = async () => (await readInstall())?.builds.map(({ id }) => id) ?? [];
    await one.install(version("1.0.0"));
    const [first = ""] = await readIds();
    await one.install(version("1.1.0"));
    const [second = ""] = await readIds();
    const isStored = async (buildId: string) =>
      (await findPluginChunk(bench.db, { buildId, position: 0 })) !== null;
    expect([await isStored(first), await isStored(second)]).toEqual([false, true]);
    await one.host.remove("tracker");
    expect(await isStored(second)).toBeFalse();
  });

  test("An older version and another source are refused by a server that has not fetched it", async () => {
    const [one, two] = [bench.openServer("one"), bench.openServer("two")];
    await one.install(version("1.1.0"));
    await expect(two.install(version("1.0.0"))).rejects.toMatchObject({
      detail: { check: "version" },
    });
    const other = join(bench.sources, "elsewhere.zip");
    await writeFile(other, craftZip(toMembers(version("1.2.0"))));
    await expect(two.host.install(other, { cwd: bench.sources })).rejects.toMatchObject({
      detail: { check: "source" },
    });
    await two.install(version("1.0.0"), { allowDowngrade: true });
    await one.host.follow();
    expect(await one.findVersion()).toBe("1.0.0");
  });

  test("The same archive again changes nothing for the others", async () => {
    const one = bench.openServer("one");
    await one.install(version("1.0.0"));
    const before = await readInstall();
    await one.install(version("1.0.0"));
    expect(await readInstall()).toEqual(before);
  });
});

describe("two servers at the same time", () => {
  test("Servers that use one folder fetch a plugin side by side", async () => {
    const servers = [bench.openServer("two"), bench.openServer("two")] as const;
    await bench.openServer("one").install(version("1.0.0"));
    await Promise.all(servers.map(({ host }) => host.follow()));
    for (const { host } of servers) await host.sync();
    expect([await servers[0].findVersion(), await servers[1].findVersion()]).toEqual([
      "1.0.0",
      "1.0.0",
    ]);
  });

  test("One of two installs gets a conflict, and both servers end with the other one", async () => {
    const servers = [bench.openServer("one"), bench.openServer("two")] as const;
    const versions = ["1.0.0", "2.0.0"];
    const outcomes = await Promise.allSettled(
      servers.map((server, at) => server.install(version(versions[at] ?? ""))),
    );
    const failures = outcomes.filter((outcome) => outcome.status === "rejected");
    for (const { reason } of failures)
      expect(["conflict", "plugin_refused"]).toContain(reason.code);
    for (const { host } of servers) await host.follow();
    const installed = (await readInstall())?.version ?? "none";
    expect([await servers[0].findVersion(), await servers[1].findVersion()]).toEqual([
      installed,
      installed,
    ]);
  });

  test("An install in progress fails if another server removes the plugin", async () => {
    const [one, two] = [bench.openServer("one"), bench.openServer("two")];
    await one.install(version("1.0.0"));
    const failed = one.install(version("1.1.0"), {
      onProgress: async ({ phase }: { phase: string }) => {
        if (phase === "replacing") await two.host.remove("tracker");
      },
    });
    await expect(failed).rejects.toMatchObject({ code: "conflict" });
    await one.host.follow();
    expect(await one.findVersion()).toBeNull();
  });
});

describe("a server that was killed", () => {
  test("An archive of which only parts were stored is never taken up", async () => {
    await putPluginChunk(bench.db, {
      buildId: "half",
      position: 0,
      at: 0,
      bytes: Uint8Array.of(1),
    });
    const two = bench.openServer("two");
    await two.host.follow();
    expect(await two.host.list()).toEqual([]);
    // It is old, so it is deleted.
    expect(await findPluginChunk(bench.db, { buildId: "half", position: 0 })).toBeNull();
  });

  test("A version in the database that is not in the folder yet is fetched", async () => {
    const one = bench.openServer("one");
    await one.install(version("1.0.0"));
    await rm(toPluginFolders(one.dataDir).link("tracker"));
    const again = bench.openServer("one");
    await again.host.start({ staysOpen: true });
    expect(await again.findVersion()).toBe("1.0.0");
  });

  test("A version in the folder that is not in the database any more is removed", async () => {
    const one = bench.openServer("one");
    await one.install(version("1.0.0"));
    await one.host.stop();
    await deletePluginInstall(bench.db, "tracker");
    const again = bench.openServer("one");
    await again.host.start({ staysOpen: true });
    expect([again.listKeys(), await listFiles(one.dataDir)]).toEqual([[], []]);
  });

  test("A copy that was damaged is replaced", async () => {
    const [one, two] = [bench.openServer("one"), bench.openServer("two")];
    await one.install(version("1.0.0"));
    await two.host.follow();
    const dir = (await toPluginFolders(two.dataDir).resolve("tracker")) ?? "";
    await writeFile(join(dir, "tracker"), "something else");
    await two.host.sync();
    expect(await two.findVersion()).toBeNull();
    await two.host.follow();
    expect(await two.findVersion()).toBe("1.0.0");
  });
});

describe("a folder that was copied by hand", () => {
  const copy = (dataDir: string, text: string) =>
    writePluginFolder(join(dataDir, "plugins", "tracker"), version(text));

  test("It is a plugin of this server only, which says so", async () => {
    const [one, two] = [bench.openServer("one"), bench.openServer("two")];
    await copy(one.dataDir, "1.0.0");
    for (const { host } of [one, two]) {
      await host.sync();
      await host.follow();
    }
    expect([one.listKeys(), two.listKeys()]).toEqual([["tracker"], []]);
    expect(await one.host.find("tracker")).toMatchObject({
      isOnlyHere: true,
      note: expect.stringContaining("It is only on this server"),
    });
  });

  test("It neither hides an installed version nor is overwritten by one", async () => {
    const taken: string[] = [];
    const log = {
      info: (_fields: unknown, message: string) => taken.push(message),
      warn: () => {},
      error: () => {},
    };
    const [one, two] = [bench.openServer("one", { log }), bench.openServer("two")];
    await copy(one.dataDir, "3.0.0");
    await two.install(version("1.0.0"));
    await one.host.follow();
    await one.host.sync();
    expect([one.listKeys(), one.registry.isAwaited("tracker")]).toEqual([[], true]);
    expect((await one.host.find("tracker")).problem).toContain("copied there by hand");
    expect(await listFiles(one.dataDir)).toContain("plugin.json");
    expect(taken).toEqual([]);
  });
});

describe("a server of another platform", () => {
  const arm = "linux/arm64";
  const armBuild = (text: string) => craftPlugin({ manifest: { version: text, os_arch: [arm] } });

  /** A catalog with archives of both platforms. */
  async function writeCatalog(text: string) {
    const assets = {
      "linux/amd64": await bench.writeArchive(version(text)),
      [arm]: await bench.writeArchive(armBuild(text)),
    };
    const entry = { key: "tracker", name: "Tracker", description: "", version: text, assets };
    const path = join(bench.sources, "plugins.json");
    await writeFile(path, JSON.stringify([entry]));
    return path;
  }

  test("It takes its own build from the catalog and stores it for others of its kind", async () => {
    const catalog = await writeCatalog("1.0.0");
    const one = bench.openServer("one", { catalog });
    await one.host.install("tracker", { cwd: "/" });
    const two = bench.openServer("two", { catalog, platform: arm });
    await two.host.follow();
    expect(await two.findVersion()).toBe("1.0.0");
    const three = bench.openServer("three", { platform: arm });
    await three.host.follow();
    expect(await three.findVersion()).toBe("1.0.0");
    await one.host.follow();
    expect([await one.findVersion(), one.released]).toEqual(["1.0.0", ["1.0.0"]]);
  });

  test("Without a build it says which one is missing, and takes one that is installed there", async () => {
    const one = bench.openServer("one");
    await one.install(version("1.0.0"));
    const two = bench.openServer("two", { platform: arm });
    await two.host.follow();
    expect((await two.host.find("tracker")).problem).toContain(
      "Version 1.0.0 is installed for all servers, but this server cannot use it. There is no build for linux/arm64: install the archive for linux/arm64 on this server.",
    );
    await two.install(armBuild("1.0.0"), { replace: true });
    expect((await readInstall())?.builds.map(({ platforms }) => platforms)).toHaveLength(2);
    await one.host.follow();
    expect([await one.findVersion(), await two.findVersion()]).toEqual(["1.0.0", "1.0.0"]);
  });

  test("An archive for both platforms replaces the build that is there", async () => {
    const one = bench.openServer("one");
    await one.install(version("1.0.0"));
    const two = bench.openServer("two", { platform: arm });
    const both = craftPlugin({ manifest: { version: "1.0.0", os_arch: [arm, "linux/amd64"] } });
    await two.install(both, { replace: true });
    await one.host.follow();
    expect((await readInstall())?.builds).toHaveLength(1);
    expect([await one.findVersion(), await two.findVersion()]).toEqual(["1.0.0", "1.0.0"]);
  });

  test("The catalog's build of another version or of another source is not taken", async () => {
    const one = bench.openServer("one");
    await one.install(version("1.0.0"));
    for (const offered of ["1.0.0", "1.1.0"]) {
      const catalog = await writeCatalog(offered);
      const two = bench.openServer(`two-${offered}`, { catalog, platform: arm });
      await two.host.follow();
      const reason = offered === "1.0.0" ? "check: source" : "The catalog has version 1.1.0";
      expect((await two.host.find("tracker")).problem).toContain(reason);
      expect(await two.findVersion()).toBeNull();
    }
  });
});

describe("a server that refuses an archive", () => {
  const { publicKey } = generateKeyPairSync("ed25519");

  test("It keeps its version and says why, and the others are unaffected", async () => {
    const [one, two] = [bench.openServer("one"), bench.openServer("two")];
    await one.install(version("1.0.0"));
    await two.host.follow();
    await one.install(version("1.1.0"));
    await two.host.stop();
    const instanceId = crypto.randomUUID();
    await insertInstance(bench.db, {
      id: instanceId,
      kind: "serve" as const,
      pid: 1,
      hostname: "two",
      startedAt: 1,
    });
    const warnings: string[] = [];
    const strict = bench.openServer("two", {
      limits: limitTo(10),
      log: {
        info: () => {},
        error: () => {},
        warn: (_fields: unknown, message: string) => warnings.push(message),
      },
    });
    await strict.host.start({ staysOpen: true, instanceId });
    expect([await strict.findVersion(), await one.findVersion()]).toEqual(["1.0.0", "1.1.0"]);
    expect(await strict.host.find("tracker")).toMatchObject({
      awaitedVersion: "1.1.0",
      problem: null,
      note: expect.stringMatching(/check: archive.*It still uses version 1\.0\.0\.$/),
    });
    expect(warnings).toEqual([expect.stringContaining("plugin not taken up. Version 1.1.0")]);
    expect(await listPluginProblems(bench.db)).toEqual([
      expect.objectContaining({ instanceId, message: expect.stringContaining("check: archive") }),
    ]);
    await one.host.remove("tracker");
    await strict.host.follow();
    expect(await listPluginProblems(bench.db)).toEqual([]);
  });

  test("A plugin that none of its trusted keys signed is refused without a download", async () => {
    const one = bench.openServer("one");
    await one.install(version("1.0.0"));
    await runSql(bench.db, "delete from plugin_chunks");
    const two = bench.openServer("two", { trust: { publicKeys: [publicKey] } });
    await two.host.follow();
    expect((await two.host.find("tracker")).problem).toContain("check: signature");
    expect(await listFiles(two.dataDir).catch(() => [])).toEqual([]);
  });

  test("It tries again only after a pause", async () => {
    await bench.openServer("one").install(version("1.0.0"));
    let [time, attempts] = [Date.now(), 0];
    const limits = {
      ...limitTo(10),
      get archiveBytesMax() {
        attempts += 1;
        return 10;
      },
    };
    const two = bench.openServer("two", { now: () => time, limits });
    const follow = async () => {
      const before = attempts;
      await two.host.follow();
      return attempts > before;
    };
    const tried = [await follow(), await follow()];
    time += 5_000;
    expect([...tried, await follow()]).toEqual([true, false, true]);
  });

  test("An archive that was changed in the database is refused", async () => {
    const one = bench.openServer("one");
    await one.install(version("1.0.0"));
    const changes = {
      "it is damaged": "update plugin_chunks set bytes = zeroblob(length(bytes))",
      "it is too long": "update plugin_chunks set bytes = zeroblob(1000000)",
      "a part of it is missing": "delete from plugin_chunks",
    };
    for (const [fault, change] of Object.entries(changes)) {
      await runSql(bench.db, change);
      const two = bench.openServer(fault);
      await two.host.follow();
      expect((await two.host.find("tracker")).problem).toContain(fault);
      expect([two.listKeys(), await listFiles(two.dataDir)]).toEqual([[], []]);
    }
  });
});

function limitTo(archiveBytesMax: number) {
  return {
    archiveBytesMax,
    membersMax: 100,
    memberBytesMax: 1_000,
    totalBytesMax: 1_000,
    expansionMax: 100,
    downloadMsMax: 1_000,
  };
}
