import { afterEach, beforeEach, expect, test } from "bun:test";
import type { PackedFiles } from "../../lib/files/packed-files.ts";
import { craftPlugin, toMembers } from "../testing/craft-plugin.ts";
import { craftZip } from "../testing/craft-zip.ts";
import { findFailure } from "../testing/find-failure.ts";
import { openPluginBench } from "../testing/open-plugin-bench.ts";
import { testPlatform } from "../testing/open-test-plugin-host.ts";
import { embeddedCatalog } from "./embedded-catalog.ts";

/** The files of the program, by name. */
let files: Map<string, Uint8Array | string>;
let bench: Awaited<ReturnType<typeof openPluginBench>>;

const packed: PackedFiles = {
  get names() {
    return [...files.keys()];
  },
  read: (name) => new Uint8Array(Buffer.from(files.get(name) ?? "")).buffer,
};

function publish(version: string, change: object = {}): void {
  const name = `tracker-${version}.zip`;
  const bytes = craftZip(toMembers(craftPlugin({ manifest: { version } })));
  const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  const entry = { key: "tracker", name: "Tracker", description: "A tracker.", version };
  const parts = { assets: { [testPlatform]: name }, sha256: { [testPlatform]: sha256 } };
  files.set(name, new Uint8Array(bytes));
  files.set("plugins.json", JSON.stringify([{ ...entry, ...parts, ...change }]));
}

beforeEach(async () => {
  files = new Map();
  bench = await openPluginBench({ catalog: embeddedCatalog, openEmbedded: async () => packed });
});
afterEach(() => bench.close());

test("A plugin of the catalog in the program is installed and updated, and its signature state is said", async () => {
  publish("1.0.0");
  expect(await bench.install("tracker")).toMatchObject({
    problem: null,
    plugin: { version: "1.0.0", signature: "unsigned" },
  });
  publish("1.1.0");
  expect(await bench.install("tracker")).toMatchObject({ plugin: { version: "1.1.0" } });
});

test("A hub that asks for signatures refuses an unsigned plugin that is in its program", async () => {
  publish("1.0.0");
  const host = bench.openHost({ trust: { requireSignature: true } });
  const failure = await findFailure(host.install("tracker", { cwd: bench.sources }));
  expect(failure).toMatchObject({ code: "plugin_refused", detail: { check: "signature" } });
});

test("An archive in the program that differs from its hash, or is missing, is not installed", async () => {
  publish("1.0.0", { sha256: { [testPlatform]: "0".repeat(64) } });
  expect(await findFailure(bench.install("tracker"))).toMatchObject({
    detail: { check: "download" },
  });
  publish("1.0.0");
  files.delete("tracker-1.0.0.zip");
  expect(String(await findFailure(bench.install("tracker")))).toContain(
    "This program has no tracker-1.0.0.zip in it.",
  );
});

test("An archive from elsewhere does not replace it without permission, and the refusal names the program", async () => {
  publish("1.0.0");
  await bench.install("tracker");
  const failure = await findFailure(
    bench.installCrafted(craftPlugin({ manifest: { version: "2.0.0" } })),
  );
  expect(String(failure)).toContain("the catalog in the hub's program");
});

test("A catalog on a web server cannot name the files of the program", async () => {
  const entry = { key: "tracker", name: "", description: "", version: "1.0.0" };
  const assets = { [testPlatform]: "embedded:/tracker-1.0.0.zip" };
  await using site = Bun.serve({ port: 0, fetch: () => Response.json([{ ...entry, assets }]) });
  publish("1.0.0");
  const host = bench.openHost({ catalog: `http://127.0.0.1:${site.port}/plugins.json` });
  const failure = await findFailure(host.install("tracker", { cwd: bench.sources }));
  expect(String(failure)).toContain("which is not an address");
});
