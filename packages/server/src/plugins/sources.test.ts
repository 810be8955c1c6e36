/**
 * Protects: an archive from another source does not replace an installed plugin without permission,
 * because it would get the secrets of the plugin's rows.
 */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { cp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toPublicKeyText } from "@hub/contract/plugin-manifest.ts";
import type { HubError } from "../errors.ts";
import { insertRow } from "../store/rows/rows-table.ts";
import { findSetting, putSetting } from "../store/settings/settings-table.ts";
import { newRow } from "../store/test-data.ts";
import type { PluginTrust } from "./plugin-trust.ts";
import { craftPlugin, toMembers, writePluginFolder } from "./testing/craft-plugin.ts";
import { craftZip } from "./testing/craft-zip.ts";
import { findFailure } from "./testing/find-failure.ts";
import { openPluginBench } from "./testing/open-plugin-bench.ts";
import { testPlatform } from "./testing/open-test-plugin-host.ts";

const author = generateKeyPairSync("ed25519");
const other = generateKeyPairSync("ed25519");

type Bench = Awaited<ReturnType<typeof openPluginBench>>;
let bench: Bench;
let site: Bun.Server<undefined>;
/** The files of the site, by path. */
let files: Map<string, Uint8Array<ArrayBuffer> | string>;

beforeEach(async () => {
  files = new Map();
  site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (req) => new Response(files.get(new URL(req.url).pathname) ?? null),
  });
  await open();
});
afterEach(async () => {
  await bench.close();
  await site.stop(true);
});

async function open(trust: Partial<PluginTrust> = {}): Promise<void> {
  bench = await openPluginBench({ trust, catalog: `${site.url}plugins.json` });
}

async function openTrusting(trust: Partial<PluginTrust>): Promise<void> {
  await bench.close();
  await open(trust);
}

const version = (text: string, signKey?: (typeof author)["privateKey"]) =>
  craftPlugin({ manifest: { version: text }, ...(signKey !== undefined && { signKey }) });
const zip = (plugin: ReturnType<typeof craftPlugin>) => new Uint8Array(craftZip(toMembers(plugin)));

/** Publishes a version in the site's catalog. */
function publish(text: string, signKey?: (typeof author)["privateKey"]): string {
  const path = `/tracker-${text}.zip`;
  files.set(path, zip(version(text, signKey)));
  const entry = { key: "tracker", name: "Tracker", description: "A tracker.", version: text };
  const assets = { [testPlatform]: path };
  files.set("/plugins.json", JSON.stringify([{ ...entry, assets }]));
  return new URL(path, site.url).href;
}

/** Each source, with its name in refusals. */
const ways: Record<
  string,
  { words: string; install(text: string, more?: object): Promise<unknown> }
> = {
  catalog: {
    words: "the catalog http://127.0.0.1:",
    install(text, more) {
      publish(text);
      return bench.install("tracker", more);
    },
  },
  address: {
    words: "the address http://127.0.0.1:",
    install: (text, more) => bench.install(publish(text), more),
  },
  folder: {
    words: "the folder ",
    async install(text, more) {
      return bench.install(
        await writePluginFolder(join(bench.sources, "build"), version(text)),
        more,
      );
    },
  },
  file: {
    words: "the file ",
    install: (text, more) => bench.installCrafted(version(text), more),
  },
};

const refuse = (install: Promise<unknown>): Promise<HubError> =>
  install.then(
    () => {
      throw new Error("it was installed");
    },
    (thrown) => thrown,
  );

for (const [first, from] of Object.entries(ways)) {
  test(`A plugin from a ${first} is updated from there, and from another source only with --replace`, async () => {
    await from.install("1.0.0");
    await from.install("1.1.0");
    for (const [second, to] of Object.entries(ways).filter(([name]) => name !== first)) {
      const refusal = await refuse(to.install("1.2.0"));
      expect(refusal, second).toMatchObject({
        code: "plugin_refused",
        detail: { check: "source" },
      });
      expect(refusal.localMessage).toContain(`installed version (${from.words}`);
      expect(refusal.localMessage).toContain(`found ${to.words}`);
      expect(refusal.message).toContain("--replace");
      // Users of the API get the same sentence without a path of this machine.
      expect(refusal.message).not.toContain(bench.folder);
    }
    expect(await bench.host.find("tracker")).toMatchObject({ plugin: { version: "1.1.0" } });
    const [, [, last] = never()] = Object.entries(ways).filter(([name]) => name !== first);
    await last.install("1.2.0", { replace: true });
    // From now on, this is its source.
    await last.install("1.3.0");
    expect((await refuse(from.install("1.4.0"))).detail).toMatchObject({ check: "source" });
  });
}

test("Another URL, folder or file is another source", async () => {
  const { path } = { path: await bench.writeZip(toMembers(version("1.0.0"))) };
  await bench.install(path);
  const elsewhere = await bench.writeZip(toMembers(version("1.1.0")));
  expect((await refuse(bench.install(elsewhere))).detail).toMatchObject({ check: "source" });
  files.set("/a/tracker.zip", zip(version("1.1.0")));
  files.set("/b/tracker.zip", zip(version("1.2.0")));
  await bench.install(`${site.url}a/tracker.zip`, { replace: true });
  expect((await refuse(bench.install(`${site.url}b/tracker.zip`))).detail).toMatchObject({
    check: "source",
  });
});

test("The signer decides the source of a signed plugin, wherever it was downloaded", async () => {
  await openTrusting({ publicKeys: [author.publicKey, other.publicKey] });
  await bench.installCrafted(version("1.0.0", author.privateKey));
  await bench.install(publish("1.1.0", author.privateKey));
  const refusal = await refuse(bench.install(publish("1.2.0", other.privateKey)));
  expect(refusal.detail).toMatchObject({ check: "source" });
  expect(refusal.message).toContain(`signed by the key ${toPublicKeyText(author.publicKey)}`);
  expect(refusal.message).toContain(`signed by the key ${toPublicKeyText(other.publicKey)}`);
  await bench.install(publish("1.2.0", other.privateKey), { replace: true });
});

test("An unsigned version does not replace a signed one, also from the same catalog", async () => {
  await openTrusting({ publicKeys: [author.publicKey], requireSignature: false });
  publish("1.0.0", author.privateKey);
  await bench.install("tracker");
  publish("1.1.0");
  expect((await refuse(bench.install("tracker"))).detail).toMatchObject({ check: "source" });
});

test("A plugin without a recorded source is updated only from the catalog", async () => {
  await ways.file?.install("1.0.0");
  const { plugin } = await bench.host.find("tracker");
  await rm(join(plugin?.dir ?? "", "source.json"));
  const refusal = await refuse(Promise.resolve(ways.folder?.install("1.1.0")));
  expect(refusal.message).toContain("not recorded, so only the catalog");
  await ways.catalog?.install("1.1.0");
  expect((await refuse(Promise.resolve(ways.file?.install("1.2.0")))).localMessage).toContain(
    "(the catalog http://127.0.0.1:",
  );
});

test("A plugin that was copied by hand is replaced only with --replace", async () => {
  const folder = await bench.writeFolder(version("1.0.0"));
  await cp(folder, join(bench.dataDir, "plugins", "tracker"), { recursive: true });
  const refusal = await refuse(Promise.resolve(ways.catalog?.install("1.1.0")));
  expect(refusal.message).toContain("by hand");
  await ways.catalog?.install("1.1.0", { replace: true });
});

test("An archive cannot set its recorded source (attack)", async () => {
  const claim = JSON.stringify({ kind: "catalog", place: `${site.url}plugins.json`, version: "1" });
  const members = [...toMembers(version("1.0.0")), { name: "source.json", content: claim }];
  await bench.install(await bench.writeZip(members));
  expect((await refuse(Promise.resolve(ways.catalog?.install("1.1.0")))).detail).toMatchObject({
    check: "source",
  });
});

test("Credentials in a URL are not recorded", async () => {
  files.set("/tracker.zip", zip(version("1.0.0")));
  const address = `http://${site.url.host}/tracker.zip?token=s3cr3t-t0ken`;
  const { plugin } = await bench.install(address);
  const kept = await Bun.file(join(plugin?.dir ?? "", "source.json")).text();
  expect(kept).not.toContain("s3cr3t");
});

test("An invalid record of a source counts as missing", async () => {
  await ways.catalog?.install("1.0.0");
  const { plugin } = await bench.host.find("tracker");
  await writeFile(join(plugin?.dir ?? "", "source.json"), "{");
  await ways.catalog?.install("1.1.0");
});

function never(): never {
  throw new Error("there is no such way");
}

test("The rows of a removed plugin do not go to one from another source without permission", async () => {
  await bench.install(publish("1.0.0"));
  await insertRow(bench.db, newRow({ connectorKey: "tracker" }));
  await bench.host.remove("tracker");
  files.set("/elsewhere.zip", zip(version("9.0.0")));
  const elsewhere = new URL("/elsewhere.zip", site.url).href;
  const refused = await findFailure(bench.install(elsewhere));
  expect(refused).toMatchObject({ code: "plugin_refused", detail: { check: "source" } });
  expect(await bench.install(publish("1.1.0"))).toMatchObject({ problem: null });
  await bench.host.remove("tracker");
  expect(await bench.install(elsewhere, { replace: true })).toMatchObject({ problem: null });
});

test("A removed plugin whose manifest cannot be read is followed by one from where it came", async () => {
  await bench.install(publish("1.0.0"));
  await insertRow(bench.db, newRow({ connectorKey: "tracker" }));
  await bench.host.remove("tracker");
  const kept = Object(JSON.parse((await findSetting(bench.db, "removed_plugin tracker")) ?? ""));
  // As a hub of another version wrote it.
  const unreadable = JSON.stringify({ ...kept, manifest: { schema_version: 9 } });
  await putSetting(bench.db, "removed_plugin tracker", unreadable);
  files.set("/elsewhere.zip", zip(version("9.0.0")));
  const refused = await findFailure(bench.install(new URL("/elsewhere.zip", site.url).href));
  expect(refused).toMatchObject({ code: "plugin_refused", detail: { check: "source" } });
  expect(await bench.install(publish("1.1.0"))).toMatchObject({ problem: null });
});

test("A removed plugin without rows is followed by one from any source", async () => {
  await bench.install(publish("1.0.0"));
  await bench.host.remove("tracker");
  files.set("/elsewhere.zip", zip(version("9.0.0")));
  const elsewhere = new URL("/elsewhere.zip", site.url).href;
  expect(await bench.install(elsewhere)).toMatchObject({ problem: null });
});

test("The catalog's plugin is an update only of one that came from this catalog", async () => {
  const address = publish("1.0.0");
  await bench.install("tracker");
  expect(await bench.host.findOtherSource("tracker")).toBeNull();
  await bench.install(address, { replace: true });
  expect(await bench.host.findOtherSource("tracker")).toBe(`the address ${address}`);
  await bench.installCrafted(version("1.0.0"), { replace: true });
  expect(await bench.host.findOtherSource("tracker")).toBe("a file on the hub's machine");
  const folder = await bench.writeFolder(version("1.0.0"));
  await bench.install(folder, { replace: true });
  expect(await bench.host.findOtherSource("tracker")).toBe("a folder on the hub's machine");
});
