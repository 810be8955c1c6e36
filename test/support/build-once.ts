import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { fingerprintSources } from "../../packages/cli/src/bundle/fingerprint-sources.ts";
import { runCli } from "./run-cli.ts";

const root = resolve(import.meta.dirname, "../..");
const cache = join(root, "node_modules/.cache/hub/plugins");
const wickMain = join(root, "packages/cli/src/wick.ts");

/** An archive, and the entries of a catalog beside it. */
type BuiltPlugin = { archive: string; entries: unknown[] };

/**
 * Puts the archive of a plugin into `folder`: `tracker`, as `wick plugin init` makes it, or one of
 * the checkout's own. It is built once for all tests, until a source changes.
 */
export async function takeBuiltPlugin(key: string, folder: string): Promise<BuiltPlugin> {
  const place = await buildOnce(key);
  const name = (await readdir(place)).find((each) => each.endsWith(".zip")) ?? "";
  await mkdir(folder, { recursive: true });
  await copyFile(join(place, name), join(folder, name));
  const entries = await Bun.file(join(place, "plugins.json")).json();
  return { archive: join(folder, name), entries };
}

/** Returns the folder of the archive. */
export async function buildOnce(key: string): Promise<string> {
  const sources = { root, mains: [], folders: ["plugins"] };
  const place = join(cache, `${key}-${fingerprintSources(sources)}`);
  if (!existsSync(place)) await build(key, place);
  return place;
}

async function build(key: string, place: string): Promise<void> {
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, ".draft-"));
  try {
    const isOurs = existsSync(join(root, "plugins", key));
    const dataDir = isOurs ? root : draft;
    if (!isOurs) await runWick(dataDir, ["init", key]);
    const out = join(draft, "out");
    await runWick(dataDir, ["build", key, "--no-compress", "--out", out]);
    await runWick(dataDir, ["catalog", "--from", out, "--out", join(out, "plugins.json")]);
    const outdated = (await readdir(cache)).filter((name) => name.startsWith(`${key}-`));
    for (const name of outdated) {
      if (name !== basename(place)) await rm(join(cache, name), { recursive: true, force: true });
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
