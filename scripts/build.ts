/**
 * Builds the hub as one file for each platform: `npm run build`, or `npm run build -- linux-x64` for one.
 * `--out FOLDER` replaces `dist`. `--deb` also makes packages for Debian. `--cosign-key FILE`
 * signs the sums. `--sign-key FILE` signs the plugins in the program, which are unsigned without it. `--draft` compresses the app less, for a trial. In a clean tree, the build time is
 * that of the commit.
 */
import { mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { findWorkers } from "../packages/cli/src/bundle/find-bundled-program.ts";
import { runBunBuild } from "../packages/cli/src/project/bun-build.ts";
import {
  readCosignKey,
  signForCosign,
} from "../packages/cli/src/wick/publish/plugin-signing-key.ts";
import { toBuildInfo } from "../packages/server/src/lib/process/build-info.ts";
import { buildWeb } from "../packages/web/build/build-web.ts";
import { buildConnectorPackage } from "./build/build-connector-package.ts";
import { buildThinPlugins } from "./build/build-thin-plugins.ts";
import { checkRuntime, runtimeFolder } from "./build/check-runtime.ts";
import { copyPages } from "./build/copy-pages.ts";
import { packFolder } from "./build/pack-folder.ts";
import { readPlatform } from "./build/read-platform.ts";
import {
  allTargets,
  type BuildTarget,
  debArchitectures,
  isBuildTarget,
  targets,
} from "./build/targets.ts";
import { writeDeb } from "./build/write-deb.ts";
import { writeLicences } from "./build/write-licences.ts";
import { writeSbom } from "./build/write-sbom.ts";
import { installTracing } from "./install-tracing.ts";

const root = resolve(import.meta.dirname, "..");
const { values: options, positionals: names } = parseArgs({
  options: {
    out: { type: "string", default: join(root, "dist") },
    deb: { type: "boolean", default: false },
    "cosign-key": { type: "string" },
    "sign-key": { type: "string" },
    draft: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const dist = resolve(options.out);
const draft = join(dist, ".draft");

const wrong = names.filter((name) => !isBuildTarget(name));
if (wrong.length > 0) {
  console.error(`No target: ${wrong.join(", ")}. Targets: ${allTargets.join(", ")}.`);
  process.exit(2);
}
const chosen = names.length === 0 ? allTargets : names.filter(isBuildTarget);

// Before the work of minutes.
const keyFile = options["cosign-key"];
const pluginKey = options["sign-key"];
const signKey = keyFile === undefined ? null : await readCosignKey(resolve(keyFile));

installTracing(root);
await rm(draft, { recursive: true, force: true });
await mkdir(draft, { recursive: true });
const failed: string[] = [];
// So that the runtimes that are checked are those that the compiler takes.
process.env.BUN_INSTALL_CACHE_DIR = runtimeFolder;
try {
  const build = await prepare();
  const sums: string[] = [];
  for (const target of chosen) {
    try {
      const program = await compile(build, target);
      const deb = options.deb ? await packDeb(build, target, program) : null;
      for (const name of deb === null ? [program] : [program, deb]) {
        sums.push(`${await hash(join(dist, name))}  ${name}\n`);
        console.error(join(dist, name));
      }
    } catch (cause) {
      failed.push(target);
      console.error(`${target} failed: ${cause instanceof Error ? cause.message : String(cause)}`);
    }
  }
  const sbom = `hub-${build.version}.cdx.json`;
  await Bun.write(join(dist, sbom), writeSbom(root, build.version, build.builtMs));
  sums.push(`${await hash(join(dist, sbom))}  ${sbom}\n`);
  const sumsFile = join(dist, "SHA256SUMS");
  await Bun.write(sumsFile, sums.sort().join(""));
  if (signKey !== null) await Bun.write(`${sumsFile}.sig`, await signForCosign(sumsFile, signKey));
} finally {
  await rm(draft, { recursive: true, force: true });
}
if (failed.length > 0) {
  console.error(`Not built: ${failed.join(", ")}.`);
  process.exitCode = 1;
}

type Preparation = {
  version: string;
  builtMs: number;
  defines: Record<string, unknown>;
  /** The licences of everything in the program. */
  licenceText: string;
  /** Files in one, which the program opens by their kind: `openEmbedded`. */
  packs: string[];
};

async function prepare(): Promise<Preparation> {
  const commit = git("rev-parse", "HEAD") || null;
  const isClean = commit !== null && git("status", "--porcelain") === "";
  if (!isClean) console.error("The tree has changes, so the build time is now.");
  const builtMs = isClean ? Number(git("log", "-1", "--format=%ct")) * 1000 : Date.now();
  const info = await toBuildInfo({ packageDir: join(root, "packages/server"), commit, builtMs });
  const web = join(draft, "web");
  const brotliQuality = options.draft ? 5 : 11;
  await buildWeb({ folder: join(root, "packages/web"), out: web, brotliQuality });
  const connector = join(draft, "connector");
  await buildConnectorPackage({ root, out: connector, version: info.hub_version });
  const docs = join(draft, "docs");
  await copyPages(join(root, "docs"), docs);
  const licences = join(draft, "licences");
  const licenceText = await writeLicences(root, licences);
  const plugins = join(draft, "plugins");
  await buildThinPlugins(root, plugins, pluginKey === undefined ? null : resolve(pluginKey));
  const packs = await Promise.all([web, connector, docs, licences, plugins].map(writePack));
  return {
    version: info.hub_version,
    builtMs,
    licenceText,
    defines: { HUB_BUILD_INFO: info, __dirname: "/hub", __filename: "/hub/file" },
    packs,
  };
}

async function writePack(folder: string): Promise<string> {
  const pack = `${folder}.pack`;
  await Bun.write(pack, await packFolder(folder));
  return pack;
}

async function compile({ version, defines, packs }: Preparation, target: BuildTarget) {
  const extension = target.startsWith("windows-") ? ".exe" : "";
  const draftPath = join(draft, `hub${extension}`);
  await runBunBuild({
    mains: [join(root, "packages/cli/src/hub-main.ts"), ...findWorkers(root), ...packs],
    outfile: draftPath,
    cwd: root,
    flags: [
      `--target=${targets[target]}`,
      ...["--splitting", "--bytecode", "--format=esm", "--minify-whitespace"],
      // The server looks for its workers beside the entry.
      "--entry-naming=[name].[ext]",
      ...Object.entries(defines).map(([key, value]) => `--define=${key}=${JSON.stringify(value)}`),
    ],
  });
  await checkRuntime(targets[target]);
  const platform = readPlatform(
    new Uint8Array(await Bun.file(draftPath).slice(0, 4096).arrayBuffer()),
  );
  if (platform !== target.replace(/-musl$/, "")) {
    throw new Error(`The compiler made a program for ${platform ?? "an unknown platform"}.`);
  }
  const name = `hub-${version}-${target}${extension}`;
  await rename(draftPath, join(dist, name));
  return name;
}

/** The name of the package; null for platforms that Debian does not have. */
async function packDeb(
  { version, builtMs, licenceText }: Preparation,
  target: BuildTarget,
  program: string,
): Promise<string | null> {
  const architecture = debArchitectures[target];
  if (architecture === undefined) return null;
  const deb = await writeDeb({
    version,
    architecture,
    builtMs,
    program: await Bun.file(join(dist, program)).bytes(),
    license: `${licenceText}\n`,
  });
  const name = `hub_${version}_${architecture}.deb`;
  await Bun.write(join(dist, name), deb);
  return name;
}

async function hash(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk);
  return hasher.digest("hex");
}

function git(...args: string[]): string {
  const { stdout, success } = Bun.spawnSync(["git", ...args], { cwd: root, stderr: "ignore" });
  return success ? stdout.toString().trim() : "";
}
