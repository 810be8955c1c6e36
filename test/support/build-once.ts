import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import type { PluginForm } from "@hub/contract/plugin.ts";
import { fingerprintSources } from "../../packages/cli/src/bundle/fingerprint-sources.ts";
import { runCli } from "./run-cli.ts";
import { toFixtureMain, writeFixture } from "./write-fixture.ts";

const root = resolve(import.meta.dirname, "../..");
const cache = join(root, "node_modules/.cache/hub/plugins");
const wickMain = join(root, "packages/cli/src/wick.ts");

/** An archive, and the entries of a catalog beside it. */
type BuiltPlugin = { archive: string; entries: unknown[] };

/**
 * Puts the archive of a plugin into `folder`: `tracker`, as `wick plugin init` makes it, a fixture
 * of this folder, or one of the checkout's own. A standalone program has 100 MiB; a thin one is installed faster. It is built once for all tests, until a source changes.
 */
export async function takeBuiltPlugin(
  key: string,
  folder: string,
  kind: PluginForm = "standalone",
): Promise<BuiltPlugin> {
  const place = await buildOnce(key, kind);
  const name = (await readdir(place)).find((each) => each.endsWith(".zip")) ?? "";
  await mkdir(folder, { recursive: true });
  await copyFile(join(place, name), join(folder, name));
  const entries = await Bun.file(join(place, "plugins.json")).json();
  return { archive: join(folder, name), entries };
}

/** Returns the folder of the archive. */
export async function buildOnce(key: string, kind: PluginForm = "standalone"): Promise<string> {
  const folders = isFixture(key) ? ["plugins", "test/support"] : ["plugins"];
  const sources = { root, mains: [], folders };
  const name = kind === "thin" ? `thin-${key}` : key;
  const place = join(cache, `${name}-${fingerprintSources(sources)}`);
  if (!existsSync(place)) await build({ key, name, kind, place });
  return place;
}

const isFixture = (key: string) => existsSync(toFixtureMain(key));

type Build = { key: string; name: string; kind: PluginForm; place: string };

async function build({ key, name, kind, place }: Build): Promise<void> {
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, ".draft-"));
  try {
    const isOurs = existsSync(join(root, "plugins", key));
    const dataDir = isOurs ? root : draft;
    if (isFixture(key)) await writeFixture(dataDir, key);
    else if (!isOurs) await runWick(dataDir, ["init", key]);
    const out = join(draft, "out");
    const form = kind === "thin" ? "--thin" : "--no-compress";
    await runWick(dataDir, ["build", key, form, "--out", out]);
    await runWick(dataDir, ["catalog", "--from", out, "--out", join(out, "plugins.json")]);
    const outdated = (await readdir(cache)).filter((each) => each.startsWith(`${name}-`));
    for (const each of outdated) {
      if (each !== basename(place)) await rm(join(cache, each), { recursive: true, force: true });
    }
    // Another process may have been faster.
    await rename(out, place).catch(() => {});
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function runWick(dataDir: string, args: string[]): Promise<void> {
  // The runtimes that were fetched before are found in the caller's home.
  const env = { HOME: process.env.HOME ?? "" };
  const result = await runCli({ main: wickMain, dataDir, env }, ["plugin", ...args]);
  if (result.exitCode !== 0) throw new Error(`wick plugin ${args.join(" ")}: ${result.stderr}`);
}
