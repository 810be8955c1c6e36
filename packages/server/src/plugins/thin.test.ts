import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { chmod, readdir, stat, utimes, writeFile } from "node:fs/promises";
import { type PluginManifest, thinPlatform } from "@hub/contract/plugin-manifest.ts";
import { checkUnchanged } from "./installed/check-unchanged.ts";
import { chooseBuild } from "./installed/choose-build.ts";
import { findFileStamp } from "./installed/file-stamp.ts";
import { type CraftedPlugin, craftPlugin, toMembers } from "./testing/craft-plugin.ts";
import { craftTar } from "./testing/craft-tar.ts";
import { craftZip } from "./testing/craft-zip.ts";
import { findFailure } from "./testing/find-failure.ts";
import { openPluginBench } from "./testing/open-plugin-bench.ts";
import { openSharedBench } from "./testing/open-shared-bench.ts";

const thinManifest = { os_arch: [thinPlatform], hub: "^1.2.0", entry: "tracker.js" };

const craftThin = (
  manifest: Partial<PluginManifest> = {},
  choices: Parameters<typeof craftPlugin>[0] = {},
): CraftedPlugin => craftPlugin({ ...choices, manifest: { ...thinManifest, ...manifest } });

describe("a thin plugin in a hub of version 1.2.3", () => {
  let bench: Awaited<ReturnType<typeof openPluginBench>>;
  beforeEach(async () => {
    bench = await openPluginBench();
  });
  afterEach(() => bench.close());

  const refuse = async (plugin: CraftedPlugin) => findFailure(bench.installCrafted(plugin));

  test.each([
    ...["^1.2.0", "~1.2", "1", ">=1.0.0 <2.0.0", "^0.9.0 || ^1.0.0", "=1.2.3"],
  ])("It is installed on any machine if its range is %s", async (hub) => {
    const state = await bench.installCrafted(craftThin({ hub }));
    expect(state).toMatchObject({ problem: null, plugin: { manifest: { hub } } });
  });

  test.each([
    ...["^1.3.0", "<1.2.3", "^2.0.0", "^0.1.0 || >=1.4.0"],
  ])("It is refused with both versions if its range is %s", async (hub) => {
    const failure = await refuse(craftThin({ hub }));
    expect(failure).toMatchObject({ code: "plugin_refused", detail: { check: "hub" } });
    expect(String(failure)).toContain(
      `Expected a hub of version ${hub}, which this thin plugin is for; found version 1.2.3. Install another version of the plugin or its standalone form: \`hub plugin install tracker\``,
    );
  });

  test.each<[string, Partial<PluginManifest>, string]>([
    ["without a range", { hub: undefined }, "the range of hub versions in `hub`, as in every"],
    ["with the range *", { hub: "*" }, 'a range of hub versions such as "^0.1.0"'],
    ["with an endless range", { hub: "1 ".repeat(1e5) }, "a range of hub versions such as"],
    ["for another platform too", { os_arch: [thinPlatform, "linux/amd64"] }, "only the platform"],
    ["of protocol 1", { proto_version: 1 }, "Expected protocol version 2"],
    ["with a shell script", { entry: "tracker.sh" }, "an `entry` that ends in .js"],
    ["whose name is the key", { entry: "" }, "an `entry` that ends in .js"],
  ])("It is refused %s", async (_, manifest, sentence) => {
    const failure = await refuse(craftThin(manifest));
    expect(failure).toMatchObject({ code: "plugin_refused", detail: { check: "manifest" } });
    expect(String(failure)).toContain(sentence);
    expect(bench.registry.list()).toEqual([]);
  });

  test("A bundle over 8 MiB is refused before it is read", async () => {
    const program = "0123456789abcdef".repeat(512 * 1024 + 1);
    const path = await bench.writeFolder(craftThin({}, { program }));
    expect(String(await findFailure(bench.install(path)))).toContain(
      "(check: program). Expected a bundle of at most 8 MiB, as in every thin plugin; found 8388624 bytes.",
    );
  });

  test("Files beside the bundle are not installed (attack)", async () => {
    const beside = ["bunfig.toml", ".env", "tsconfig.json", "package.json", "node_modules/fs.js"];
    const members = beside.map((name) => ({ name, content: "x" }));
    await bench.install(await bench.writeZip([...toMembers(craftThin()), ...members]));
    const { plugin } = await bench.host.find("tracker");
    expect((await readdir(plugin?.dir ?? "")).sort()).toEqual([
      "plugin.json",
      "source.json",
      "tracker.js",
    ]);
  });

  test("An archive with a path outside of it or a link is refused (attack)", async () => {
    const members = toMembers(craftThin());
    const outside = craftZip([...members, { name: "../tracker.js", content: "x" }]);
    const headers = [
      { header: { name: "plugin.json" }, content: String(members[0]?.content) },
      { header: { name: "tracker.js", type: "symlink" as const, linkname: "/etc/passwd" } },
    ];
    for (const [name, bytes] of [
      ["outside.zip", outside],
      ["link.tar.gz", await craftTar(headers)],
    ] as const) {
      const failure = await findFailure(bench.install(await bench.writeSource(name, bytes)));
      expect(failure).toMatchObject({ detail: { check: "archive" } });
    }
  });

  test("A range that was changed after signing is refused, and so is another key (attack)", async () => {
    const [signer, stranger] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
    await bench.close();
    bench = await openPluginBench({ trust: { publicKeys: [signer.publicKey] } });
    const signed = craftThin({}, { signKey: signer.privateKey });
    const widened = { ...signed, manifest: { ...signed.manifest, hub: ">=0.0.1" } };
    for (const plugin of [widened, craftThin({}, { signKey: stranger.privateKey }), craftThin()]) {
      expect(await refuse(plugin)).toMatchObject({ detail: { check: "signature" } });
    }
    expect((await bench.installCrafted(signed)).plugin?.signature).toBe("signed");
  });

  test("A bundle that changed after its verification does not start, whatever its file says", async () => {
    await bench.installCrafted(craftThin());
    const { plugin } = await bench.host.find("tracker");
    if (plugin === null) throw new Error("not installed");
    const { binaryPath } = plugin;
    const { atime, mtime } = await stat(binaryPath);
    await chmod(binaryPath, 0o700);
    await writeFile(binaryPath, "program of trackeX");
    await utimes(binaryPath, atime, mtime);
    // Whoever sets the clock back can keep all times.
    const binaryStamp = await findFileStamp(binaryPath);
    const installed = { ...plugin, binaryStamp, enabled: true, problem: null };
    expect(await findFailure(checkUnchanged(installed))).toMatchObject({
      detail: { check: "sha256" },
    });
  });

  test("The forms replace each other, and an older hub's plugin is refused after the hub's update", async () => {
    await bench.installCrafted(craftPlugin());
    expect((await bench.installCrafted(craftThin())).plugin?.manifest.hub).toBe("^1.2.0");
    const next = bench.openHost({ hubVersion: "2.0.0" });
    expect((await next.find("tracker")).problem).toContain("(check: hub)");
    await bench.installCrafted(craftPlugin());
    expect((await next.find("tracker")).problem).toBeNull();
  });
});

describe("servers with one database", () => {
  test("They take a thin plugin whatever their machine is, and follow a change of its form", async () => {
    const bench = await openSharedBench();
    try {
      const one = bench.openServer("one");
      const arm = bench.openServer("arm", { platform: "darwin/arm64" });
      const newer = bench.openServer("newer", { hubVersion: "2.0.0" });
      await one.install(craftThin());
      for (const server of [arm, newer]) await server.host.follow();
      expect([await arm.findVersion(), await newer.findVersion()]).toEqual(["1.0.0", null]);
      expect((await newer.host.find("tracker")).problem).toContain("(check: hub)");
      const formOf = async (server: typeof one) =>
        (await server.host.find("tracker")).plugin?.manifest.os_arch;
      const two = bench.openServer("two");
      await two.host.follow();
      await one.install(craftPlugin(), { replace: true });
      await two.host.follow();
      expect([await formOf(one), await formOf(two)]).toEqual([["linux/amd64"], ["linux/amd64"]]);
      await two.install(craftThin(), { replace: true });
      await one.host.follow();
      expect([await formOf(one), await formOf(two)]).toEqual([[thinPlatform], [thinPlatform]]);
    } finally {
      await bench.close();
    }
  });
});

test("A hub takes the thin archive of a catalog if it is for its version, and else the program", () => {
  const choose = (hubVersion: string, ...platforms: string[]) =>
    chooseBuild(
      { hostPlatform: "linux/amd64", hubVersion },
      { assets: Object.fromEntries(platforms.map((name) => [name, "url"])), hub: "^1.0.0" },
    );
  const both = ["linux/amd64", thinPlatform];
  expect(choose("1.4.0", ...both)).toBe(thinPlatform);
  expect(choose("2.0.0", ...both)).toBe("linux/amd64");
  expect(choose("1.4.0", "linux/amd64", "darwin/arm64")).toBe("linux/amd64");
  expect(choose("2.0.0", thinPlatform, "darwin/arm64")).toBeNull();
});
