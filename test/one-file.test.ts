/** The parts of `npm run build`. The whole program is tested in `oracles/one-file.test.ts`. */
import { afterAll, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openPacked } from "@hub/server/lib/files/packed-files.ts";
import { buildThinPlugins } from "../scripts/build/build-thin-plugins.ts";
import { checkRuntime } from "../scripts/build/check-runtime.ts";
import { describeBuildFailure } from "../scripts/build/describe-build-failure.ts";
import { packFolder } from "../scripts/build/pack-folder.ts";
import { readPlatform } from "../scripts/build/read-platform.ts";
import { removeOldArchives } from "../scripts/build/remove-old-archives.ts";

const folder = await mkdtemp(join(tmpdir(), "hub-packed-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

test("The program reads each file of a packed folder, and no other", async () => {
  await Bun.write(join(folder, "a.js"), "one");
  await Bun.write(join(folder, "b.br"), new Uint8Array([0, 255, 10]));
  await Bun.write(join(folder, "empty.css"), "");
  await Bun.write(join(folder, "below/c.md"), "two");
  const { names, read } = await openPacked(new Blob([await packFolder(folder)]));
  expect(names).toEqual(["a.js", "b.br", "below/c.md", "empty.css"]);
  expect(Buffer.from(read("a.js")).toString()).toBe("one");
  expect([...new Uint8Array(read("b.br"))]).toEqual([0, 255, 10]);
  expect(Buffer.from(read("below/c.md")).toString()).toBe("two");
  expect(read("empty.css").byteLength).toBe(0);
  for (const name of ["c.js", "toString", "../a.js"]) expect(() => read(name)).toThrow(name);
});

test("A runtime that is not the published one is refused, and so is one without a sum", async () => {
  const target = "bun-linux-x64-baseline";
  await Bun.write(join(folder, `${target}-v${Bun.version}`), "another program");
  await expect(checkRuntime(target, folder)).rejects.toThrow(
    /is not the published one: its SHA-256 is [0-9a-f]{64} instead of [0-9a-f]{64}\. Delete it/,
  );
  await expect(checkRuntime("bun-freebsd-x64", folder)).rejects.toThrow("There is no sum");
});

const toHead = (...parts: Array<[at: number, bytes: number[]]>) => {
  const head = new Uint8Array(256);
  for (const [at, bytes] of parts) head.set(bytes, at);
  return head;
};
const elf = [0x7f, 0x45, 0x4c, 0x46];
const macho = [0xcf, 0xfa, 0xed, 0xfe];
const pe = (machine: number[]) =>
  toHead([0, [0x4d, 0x5a]], [60, [128]], [128, [0x50, 0x45, 0, 0, ...machine]]);

test.each([
  ["linux-x64", toHead([0, elf], [18, [62]])],
  ["linux-arm64", toHead([0, elf], [18, [183]])],
  ["darwin-x64", toHead([0, macho], [4, [7, 0, 0, 1]])],
  ["darwin-arm64", toHead([0, macho], [4, [12, 0, 0, 1]])],
  ["windows-x64", pe([0x64, 0x86])],
  [null, toHead([0, elf], [18, [3]])],
  [null, toHead([0, [0x4d, 0x5a]], [60, [255, 255]])],
  [null, new Uint8Array(10)],
])("The header of a program tells its platform: %s", (platform, head) => {
  expect(readPlatform(head)).toBe(platform);
});

test("A plugin that cannot be built without a network is a sentence that says what to do", () => {
  const cause = new Error(
    "Building logs for linux/amd64 failed: [10ms]  bundle  1 modules\nFailed to download 'bun-linux-x64-baseline-v1.4.4': DNSResolveFailed",
  );
  expect(describeBuildFailure(cause)).toBe(
    "Bun's runtime for it has to be downloaded from the npm registry, and that failed: Failed to download 'bun-linux-x64-baseline-v1.4.4': DNSResolveFailed. Run `npm run plugins` again with a network. Thin plugins need none.",
  );
  expect(describeBuildFailure(new Error("The key is wrong."))).toBe("The key is wrong.");
});

test("Archives of the present version stay, and those of other versions and plugins go", async () => {
  const root = join(folder, "checkout");
  await Bun.write(join(root, "plugins/logs/package.json"), '{"version":"1.0.0"}');
  const out = join(root, ".plugins");
  const names = ["gone-1.0.0-hub-any.zip", "logs-0.9.0-hub-any.zip", "logs-1.0.0-hub-any.zip"];
  for (const name of [...names, "plugins.json"]) await Bun.write(join(out, name), "");
  await removeOldArchives(root, out, ["logs"]);
  expect((await readdir(out)).sort()).toEqual(["logs-1.0.0-hub-any.zip", "plugins.json"]);
});

test("The catalog in the program has each plugin of the checkout as a thin archive", async () => {
  const out = join(folder, "plugins");
  await buildThinPlugins(join(import.meta.dirname, ".."), out, null);
  const { names, read } = await openPacked(new Blob([await packFolder(out)]));
  const catalog = JSON.parse(Buffer.from(read("plugins.json")).toString());
  expect(catalog.map(({ key }: { key: string }) => key)).toEqual(["codehost", "logs"]);
  const archives = catalog.flatMap(({ assets }: { assets: object }) => Object.values(assets));
  expect(names).toEqual([...archives, "plugins.json"].sort());
});
