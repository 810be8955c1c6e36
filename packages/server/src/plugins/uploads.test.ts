/** Archives that are received from another machine, on one server and on several. */
import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { listPluginInstalls } from "../store/plugins/plugin-installs.ts";
import { defaultInstallLimits } from "./install/install-limits.ts";
import { parseInstallSource } from "./install/install-source.ts";
import { type CraftedPlugin, craftPlugin, toMembers } from "./testing/craft-plugin.ts";
import { craftZip } from "./testing/craft-zip.ts";
import { openPluginBench } from "./testing/open-plugin-bench.ts";
import { openSharedBench } from "./testing/open-shared-bench.ts";

const author = generateKeyPairSync("ed25519");
const cwd = "/";

/** The archive in portions; `fail` is thrown in the place of the last one. */
function upload(plugin: CraftedPlugin, fail?: Error) {
  const bytes = new Uint8Array(craftZip(toMembers(plugin)));
  const half = Math.floor(bytes.length / 2);
  async function* chunks() {
    yield bytes.slice(0, half);
    if (fail !== undefined) throw fail;
    yield bytes.slice(half);
  }
  return { name: "tracker.zip", chunks: chunks() };
}

const version = (text: string, signKey?: (typeof author)["privateKey"]) =>
  craftPlugin({ manifest: { version: text }, ...(signKey !== undefined && { signKey }) });

test("An uploaded archive is verified like any other, and a broken upload leaves nothing", async () => {
  const bench = await openPluginBench();
  await using owned = new AsyncDisposableStack();
  owned.defer(() => bench.close());
  const { host } = bench;
  await host.install(upload(version("1.0.0")), { cwd });
  const before = await bench.listFiles();
  const broken = upload(version("2.0.0"), new Error("reset"));
  await expect(host.install(broken, { cwd, replace: true })).rejects.toThrow("reset");
  const forged = craftPlugin({ manifest: { version: "2.0.0", sha256: "0".repeat(64) } });
  await expect(host.install(upload(forged), { cwd, replace: true })).rejects.toMatchObject({
    code: "plugin_refused",
  });
  expect(await bench.listFiles()).toEqual(before);
  expect(await readdir(join(bench.dataDir, "plugins/.staging"))).toEqual([]);
  expect((await host.find("tracker")).plugin?.version).toBe("1.0.0");
});

test("An uploaded archive over the size limit is refused before it is stored as a whole", async () => {
  const limits = { ...defaultInstallLimits, archiveBytesMax: 10 };
  const bench = await openPluginBench({ limits });
  await using owned = new AsyncDisposableStack();
  owned.defer(() => bench.close());
  const installing = bench.host.install(upload(version("1.0.0")), { cwd });
  await expect(installing).rejects.toThrow("at most 10 bytes");
});

test("An uploaded archive replaces a plugin with permission, or with the signature of its author", async () => {
  const bench = await openPluginBench({ trust: { publicKeys: [author.publicKey] } });
  await using owned = new AsyncDisposableStack();
  owned.defer(() => bench.close());
  await bench.host.install(upload(version("1.0.0", author.privateKey)), { cwd });
  const state = await bench.host.install(upload(version("1.1.0", author.privateKey)), { cwd });
  expect(state.plugin?.version).toBe("1.1.0");
});

test("The same name does not make an unsigned upload the next version of the installed plugin", async () => {
  const bench = await openPluginBench();
  await using owned = new AsyncDisposableStack();
  owned.defer(() => bench.close());
  await bench.host.install(upload(version("1.0.0")), { cwd });
  const next = bench.host.install(upload(version("1.1.0")), { cwd });
  await expect(next).rejects.toMatchObject({
    message: expect.stringContaining("the uploaded file tracker.zip"),
    detail: { check: "source" },
  });
  await bench.host.install(upload(version("1.1.0")), { cwd, replace: true });
  expect((await bench.host.find("tracker")).plugin?.version).toBe("1.1.0");
});

test("An archive that one server receives is installed on all, and its source is one that older servers can read", async () => {
  await using owned = new AsyncDisposableStack();
  const bench = await openSharedBench();
  owned.defer(() => bench.close());
  const [one, two] = [bench.openServer("one"), bench.openServer("two")];
  await one.host.install(upload(version("1.0.0")), { cwd });
  await two.host.follow();
  expect(await two.findVersion()).toBe("1.0.0");
  const [install] = await listPluginInstalls(bench.db);
  expect(parseInstallSource(install?.source ?? "")).toMatchObject({
    kind: "archive",
    place: "upload:tracker.zip",
  });
});
