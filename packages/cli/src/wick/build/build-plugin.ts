import type { KeyObject } from "node:crypto";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { toVersion1Module } from "@hub/connector/plugin";
import {
  hubRangePattern,
  type PluginManifest,
  type PluginModule,
  signManifest,
  signProgramHash,
  thinPlatform,
} from "@hub/contract/plugin-manifest.ts";
import { readHubVersion } from "@hub/server/lib/process/build-info.ts";
import { toBundleCommand } from "@hub/server/lib/process/self-command.ts";
import { hashFile } from "@hub/server/plugins/verify/check-hash.ts";
import { findHostPlatform } from "@hub/server/plugins/verify/check-platform.ts";
import { toUsageError } from "../../errors/usage-error.ts";
import type { ProgramNames } from "../plugin-templates.ts";
import { readCosignKey, readSigningKey, signForCosign } from "../publish/plugin-signing-key.ts";
import { bundleProgram } from "./bundle-program.ts";
import { compileProgram } from "./compile-program.ts";
import { dumpModule } from "./dump-module.ts";
import { findPluginSource, type PluginSource } from "./find-plugin-source.ts";
import { provideConnector } from "./provide-connector.ts";
import { allTargets, isTarget, type Target } from "./targets.ts";
import { writeZip, type ZipMember } from "./write-zip.ts";

export type BuildRequest = {
  cwd: string;
  key: string;
  names: ProgramNames;
  /** `<os>/<arch>` each; empty for this machine. */
  targets: readonly string[];
  /** Builds one archive for all platforms instead, which only these hubs can run; null for programs. */
  thin: ThinBuild | null;
  /** Version of the plugin protocol that the target hosts speak. */
  protocol: 1 | 2;
  /** Uncompressed archives are about twice as large and build in less than half the time. */
  compress: boolean;
  out: string;
  signKeyFile: string | null;
  cosignKeyFile: string | null;
  report(line: string): void;
};

/** `hub` null takes the range of `package.json`, or this version and later compatible ones. */
type ThinBuild = { hub: string | null };

export type BuiltArchive = {
  key: string;
  version: string;
  target: Target | typeof thinPlatform;
  /** Relative to the working directory if it is below it. */
  path: string;
  /** Hash of the archive. */
  sha256: string;
  signed: boolean;
};

/** Builds all targets or fails. Archives appear in the output folder only when all are built. */
export async function buildPlugin(request: BuildRequest): Promise<BuiltArchive[]> {
  const { cwd, key, protocol, compress, report } = request;
  const host = checkTarget(findHostPlatform());
  const source = await findPluginSource(cwd, key, request.names);
  await provideConnector(source.folder);
  const hub = request.thin === null ? null : await findHubRange(request.thin, source);
  const programs = request.targets.length === 0 ? [host] : request.targets.map(checkTarget);
  const targets: BuildFor[] = hub === null ? [...new Set(programs)] : [thinPlatform];
  const keys = await readKeys(request);
  const out = resolve(cwd, request.out);
  const work = await mkdtemp(join(tmpdir(), "wick-build-"));
  try {
    const module = await describe(source, {
      key,
      target: hub === null ? host : thinPlatform,
      work,
    });
    const built: BuiltArchive[] = [];
    for (const target of targets) {
      report(`building ${key} ${source.version} for ${target}`);
      const build = { key, source, protocol, compress, module, keys, target, work, host, hub };
      built.push(await buildTarget(build));
    }
    if (hub !== null) for (const { path } of built) await checkThinArchive(join(work, path), key);
    await mkdir(out, { recursive: true });
    for (const archive of built) {
      const path = join(out, archive.path);
      await moveFile(join(work, archive.path), path);
      const shown = relative(cwd, path);
      archive.path = shown.startsWith("..") ? path : shown;
    }
    return built;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function checkTarget(text: string): Target {
  if (isTarget(text)) return text;
  throw toUsageError(`Unknown target "${text}". Use one of: ${allTargets.join(", ")}.`);
}

type Keys = { sign: KeyObject | null; cosign: KeyObject | null };

async function readKeys({ cwd, signKeyFile, cosignKeyFile }: BuildRequest): Promise<Keys> {
  return {
    sign: signKeyFile === null ? null : await readSigningKey(resolve(cwd, signKeyFile)),
    cosign: cosignKeyFile === null ? null : await readCosignKey(resolve(cwd, cosignKeyFile)),
  };
}

/** So small that an archive for all platforms costs less than a page. */
const thinArchiveBytesMax = 1_000_000;

async function checkThinArchive(path: string, key: string): Promise<void> {
  const { size } = Bun.file(path);
  if (size < thinArchiveBytesMax) return;
  throw new Error(
    `The thin archive of ${key} has ${size} bytes; it must have fewer than ${thinArchiveBytesMax}. Bundle fewer packages, or build a standalone program without --thin.`,
  );
}

async function findHubRange({ hub }: ThinBuild, source: PluginSource): Promise<string> {
  const range = hub ?? source.hubRange ?? `^${await readHubVersion()}`;
  if (hubRangePattern.test(range)) return range;
  throw toUsageError(
    `"${range}" is not a range of hub versions. Use one such as "^0.1.0" or ">=0.1.0 <0.3.0".`,
  );
}

type BuildFor = Target | typeof thinPlatform;

type Description = { key: string; target: BuildFor; work: string };

async function buildProgram(
  source: PluginSource,
  { key, target, out }: { key: string; target: BuildFor; out: string },
): Promise<string> {
  if (target !== thinPlatform) return await compileProgram({ ...source, key, target, out });
  await mkdir(out, { recursive: true });
  return await bundleProgram({ ...source, key, out });
}

/** Builds the program for this machine and reads the module description that it prints. */
async function describe(
  source: PluginSource,
  { key, target, work }: Description,
): Promise<PluginModule> {
  const out = join(work, toFolderName(target));
  const file = join(out, await buildProgram(source, { key, target, out }));
  const module = await dumpModule(
    target === thinPlatform ? toBundleCommand(file) : { command: file, args: [], env: {} },
  );
  if (module.Meta.Key === key) return module;
  throw new Error(
    `The connector in ${source.folder} has the key "${module.Meta.Key}". Build it under that key, or change its key to "${key}".`,
  );
}

type TargetBuild = {
  key: string;
  source: PluginSource;
  protocol: 1 | 2;
  compress: boolean;
  module: PluginModule;
  keys: Keys;
  target: BuildFor;
  work: string;
  host: Target;
  hub: string | null;
};

async function buildTarget(build: TargetBuild): Promise<BuiltArchive> {
  const { key, source, protocol, keys, target, work, host, hub } = build;
  const { version } = source;
  const out = join(work, toFolderName(target));
  const isBuilt = target === host || target === thinPlatform;
  const name = isBuilt
    ? toProgramName(key, target)
    : await buildProgram(source, { key, target, out });
  const program = join(out, name);
  const manifest: PluginManifest = {
    schema_version: 1,
    kind: "connector",
    version,
    proto_version: protocol,
    entry: name,
    os_arch: [target],
    ...(hub !== null && { hub }),
    sha256: await hashFile(program),
    signature: "",
    module: protocol === 1 ? toVersion1Module(build.module) : build.module,
  };
  if (keys.sign !== null) {
    const sign = protocol === 1 ? signProgramHash : signManifest;
    manifest.signature = sign(manifest, keys.sign);
  }
  const archive = `${key}-${version}-${toFolderName(target)}.zip`;
  const members: ZipMember[] = [
    { name: "plugin.json", isProgram: false, content: `${JSON.stringify(manifest, null, 2)}\n` },
    { name, isProgram: target !== thinPlatform, path: program },
    ...(keys.cosign === null
      ? []
      : [
          {
            name: `${name}.sig`,
            isProgram: false,
            content: await signForCosign(program, keys.cosign),
          },
        ]),
  ];
  await writeZip(join(work, archive), members, { compress: build.compress });
  const sha256 = await hashFile(join(work, archive));
  return { key, version, target, path: archive, sha256, signed: keys.sign !== null };
}

function toFolderName(target: BuildFor): string {
  return target.replace("/", "-");
}

function toProgramName(key: string, target: BuildFor): string {
  if (target === thinPlatform) return `${key}.js`;
  return target.startsWith("windows/") ? `${key}.exe` : key;
}

/** The temporary folder may lie on another disk. */
async function moveFile(from: string, to: string): Promise<void> {
  const beside = `${to}.${process.pid}.tmp`;
  await writeFile(beside, Bun.file(from).stream());
  await rename(beside, to);
}
