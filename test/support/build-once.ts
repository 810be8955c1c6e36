import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { craftPlugin, toMembers } from "@hub/server/plugins/testing/craft-plugin.ts";
import { craftZip } from "@hub/server/plugins/testing/craft-zip.ts";
import { findHostPlatform } from "@hub/server/plugins/verify/check-platform.ts";
import { fingerprintSources } from "../../packages/cli/src/bundle/fingerprint-sources.ts";
import { dumpModule } from "../../packages/cli/src/wick/dump-module.ts";
import { runCli } from "./run-cli.ts";

const root = resolve(import.meta.dirname, "../..");
const cache = join(root, "node_modules/.cache/hub/plugins");
const wickMain = join(root, "packages/cli/src/wick.ts");

/** A compiled program of 100 MiB, or a script for this machine's Bun, which is installed faster. */
export type BuildKind = "program" | "script";

/** An archive, and the entries of a catalog beside it. */
type BuiltPlugin = { archive: string; entries: unknown[] };

/**
 * Puts the archive of a plugin into `folder`: `tracker`, as `wick plugin init` makes it, or one of
 * the checkout's own. It is built once for all tests, until a source changes.
 */
export async function takeBuiltPlugin(
  key: string,
  folder: string,
  kind: BuildKind = "program",
): Promise<BuiltPlugin> {
  const place = await buildOnce(key, kind);
  const name = (await readdir(place)).find((each) => each.endsWith(".zip")) ?? "";
  await mkdir(folder, { recursive: true });
  await copyFile(join(place, name), join(folder, name));
  const entries = await Bun.file(join(place, "plugins.json")).json();
  return { archive: join(folder, name), entries };
}

/** Returns the folder of the archive. */
export async function buildOnce(key: string, kind: BuildKind = "program"): Promise<string> {
  const sources = { root, mains: [], folders: ["plugins"] };
  const name = kind === "script" ? `script-${key}` : key;
  const place = join(cache, `${name}-${fingerprintSources(sources)}`);
  if (!existsSync(place)) await build({ key, name, kind, place });
  return place;
}

type Build = { key: string; name: string; kind: BuildKind; place: string };

async function build({ key, name, kind, place }: Build): Promise<void> {
  await mkdir(cache, { recursive: true });
  const draft = await mkdtemp(join(cache, ".draft-"));
  try {
    const isOurs = existsSync(join(root, "plugins", key));
    const dataDir = isOurs ? root : draft;
    if (!isOurs) await runWick(dataDir, ["init", key]);
    const out = join(draft, "out");
    if (kind === "program") await runWick(dataDir, ["build", key, "--no-compress", "--out", out]);
    else await buildScript(key, out);
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

/** Builds one of the checkout's own plugins as one file. */
async function buildScript(key: string, out: string): Promise<void> {
  const folder = join(root, "plugins", key);
  const command = [process.execPath, "build", "--target=bun", join(folder, "src/main.ts")];
  const { exitCode, stdout, stderr } = Bun.spawnSync(command, { cwd: folder });
  if (exitCode !== 0) throw new Error(`${key} cannot be built: ${stderr}`);
  const program = `#!${process.execPath}\n${stdout}`;
  await mkdir(out, { recursive: true });
  const file = join(out, key);
  await writeFile(file, program, { mode: 0o755 });
  const module = await dumpModule(file);
  await rm(file);
  const { version } = await Bun.file(join(folder, "package.json")).json();
  const platform = findHostPlatform();
  const plugin = craftPlugin({ key, program, manifest: { version, os_arch: [platform], module } });
  const archive = join(out, `${key}-${version}-${platform.replace("/", "-")}.zip`);
  await writeFile(archive, craftZip(toMembers(plugin)));
}

async function runWick(dataDir: string, args: string[]): Promise<void> {
  // The runtimes that were fetched before are found in the caller's home.
  const env = { HOME: process.env.HOME ?? "" };
  const result = await runCli({ main: wickMain, dataDir, env }, ["plugin", ...args]);
  if (result.exitCode !== 0) throw new Error(`wick plugin ${args.join(" ")}: ${result.stderr}`);
}
