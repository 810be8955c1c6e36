import type { KeyObject } from "node:crypto";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { toVersion1Module } from "@hub/connector/plugin";
import {
  type PluginManifest,
  type PluginModule,
  signManifest,
  signProgramHash,
} from "@hub/contract/plugin-manifest.ts";
import { hashFile } from "@hub/server/plugins/verify/check-hash.ts";
import { findHostPlatform } from "@hub/server/plugins/verify/check-platform.ts";
import { toUsageError } from "../usage-error.ts";
import { compileProgram } from "./compile-program.ts";
import { dumpModule } from "./dump-module.ts";
import { findPluginSource, type PluginSource } from "./find-plugin-source.ts";
import { readCosignKey, readSigningKey, signForCosign } from "./signing-key.ts";
import { allTargets, isTarget, type Target } from "./targets.ts";
import { writeZip, type ZipMember } from "./write-zip.ts";

export type BuildRequest = {
  cwd: string;
  key: string;
  /** `<os>/<arch>` each; empty for this machine. */
  targets: readonly string[];
  /** Version of the plugin protocol that the target hosts speak. */
  protocol: 1 | 2;
  /** Uncompressed archives are about twice as large and build in less than half the time. */
  compress: boolean;
  out: string;
  signKeyFile: string | null;
  cosignKeyFile: string | null;
  report(line: string): void;
};

export type BuiltArchive = {
  key: string;
  version: string;
  target: Target;
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
  const targets =
    request.targets.length === 0 ? [host] : [...new Set(request.targets.map(checkTarget))];
  const source = await findPluginSource(cwd, key);
  const keys = await readKeys(request);
  const out = resolve(cwd, request.out);
  const work = await mkdtemp(join(tmpdir(), "wick-build-"));
  try {
    const module = await describe(source, { key, host, work });
    const built: BuiltArchive[] = [];
    for (const target of targets) {
      report(`building ${key} ${source.version} for ${target}`);
      const build = { key, source, protocol, compress, module, keys, target, work, host };
      built.push(await buildTarget(build));
    }
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

type Description = { key: string; host: Target; work: string };

/** Builds the program for this machine and reads the module description that it prints. */
async function describe(
  source: PluginSource,
  { key, host, work }: Description,
): Promise<PluginModule> {
  const out = join(work, toFolderName(host));
  const name = await compileProgram({ ...source, key, target: host, out });
  const module = await dumpModule(join(out, name));
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
  target: Target;
  work: string;
  host: Target;
};

async function buildTarget(build: TargetBuild): Promise<BuiltArchive> {
  const { key, source, protocol, keys, target, work, host } = build;
  const { version } = source;
  const out = join(work, toFolderName(target));
  const isBuilt = target === host;
  const name = isBuilt
    ? toProgramName(key, target)
    : await compileProgram({ ...source, key, target, out });
  const program = join(out, name);
  const manifest: PluginManifest = {
    schema_version: 1,
    kind: "connector",
    version,
    proto_version: protocol,
    entry: name,
    os_arch: [target],
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
    { name, isProgram: true, path: program },
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

function toFolderName(target: Target): string {
  return target.replace("/", "-");
}

function toProgramName(key: string, target: Target): string {
  return target.startsWith("windows/") ? `${key}.exe` : key;
}

/** The temporary folder may lie on another disk. */
async function moveFile(from: string, to: string): Promise<void> {
  const beside = `${to}.${process.pid}.tmp`;
  await writeFile(beside, Bun.file(from).stream());
  await rename(beside, to);
}
