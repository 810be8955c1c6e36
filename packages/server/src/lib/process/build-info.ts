import { readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { z } from "zod";
import { packageFolder } from "../files/package-folder.ts";
import { findCommit } from "./find-commit.ts";

const buildSchema = z.object({
  hub_version: z.string(),
  /** RFC 3339, UTC. */
  server_build_time: z.string(),
  /** Seven digits, or "unknown" outside a checkout. */
  server_commit: z.string(),
});

/** Version, build time and commit of the running program; the answer of `hub_info`. */
export type BuildInfo = z.infer<typeof buildSchema>;

/** Which build of the hub it is. */
export type BuildName = Pick<BuildInfo, "hub_version" | "server_commit">;

/** Set by a bundler (`--define HUB_BUILD_INFO={…}`), because a binary has no source files. */
declare const HUB_BUILD_INFO: BuildInfo | undefined;

/** The package.json of this package. `npm run pack` writes `hub_build` into it. */
const manifestSchema = z.object({
  version: z.string().catch("unknown"),
  hub_build: buildSchema.nullable().catch(null),
});

type BuildPaths = {
  /** In a checkout of the hub, the folder with `packages/server`. */
  root: string;
  /** The folder of this package. */
  packageDir: string;
  /** The file the program was started with: a downstream project's own. */
  mainFile: string;
};

/**
 * Reads version, time and commit without build flags. The version is that of the hub's checkout or
 * package. Time and commit are those of what was started: the checkout with its newest source file,
 * the hub's package, or a downstream project.
 */
export async function readBuildInfo(paths?: Partial<BuildPaths>): Promise<BuildInfo> {
  if (typeof HUB_BUILD_INFO !== "undefined") return HUB_BUILD_INFO;
  if (paths !== undefined) return await readFrom(paths);
  started ??= readFrom({});
  return await started;
}

/** The build of this process. It stays, although sources may change later, and thousands of files are looked at for it. */
let started: Promise<BuildInfo> | undefined;

async function readFrom(paths: Partial<BuildPaths>): Promise<BuildInfo> {
  const all = fillPaths(paths);
  const source = await readSource(all);
  if (source.packed !== null) return source.packed;
  const builtMs = source.isHub
    ? findNewestSource(join(all.root, "packages"))
    : findStarted(all.mainFile);
  return { ...toBuildName(all, source), server_build_time: toRfc3339(builtMs) };
}

/** Version and commit, without a look at every source file. */
export async function readBuildName(paths: Partial<BuildPaths> = {}): Promise<BuildName> {
  if (typeof HUB_BUILD_INFO !== "undefined") return HUB_BUILD_INFO;
  const all = fillPaths(paths);
  const source = await readSource(all);
  return source.packed ?? toBuildName(all, source);
}

/** The version alone, without a look at every source file. */
export async function readHubVersion(): Promise<string> {
  if (typeof HUB_BUILD_INFO !== "undefined") return HUB_BUILD_INFO.hub_version;
  return (await readSource(fillPaths({}))).version;
}

type Build = {
  /** The folder of the server package that is compiled. */
  packageDir: string;
  /** The commit of the project. */
  commit: string | null;
  builtMs: number;
};

/** Returns the value of `HUB_BUILD_INFO` for a program that is compiled. */
export async function toBuildInfo({ packageDir, commit, builtMs }: Build): Promise<BuildInfo> {
  const { version } = await readSource(fillPaths({ packageDir }));
  return {
    hub_version: version,
    server_build_time: toRfc3339(builtMs),
    server_commit: toShortCommit(commit),
  };
}

function fillPaths({
  packageDir = packageFolder,
  root = join(packageDir, "..", ".."),
  mainFile = Bun.main,
}: Partial<BuildPaths>): BuildPaths {
  return { root, packageDir, mainFile };
}

type Source = {
  version: string;
  /** Whether the checkout of the hub was started, and not a project that uses it. */
  isHub: boolean;
  /** What `npm run pack` wrote into the package; null if something else was started. */
  packed: BuildInfo | null;
};

/** Reads VERSION in a checkout, and the package.json elsewhere. */
async function readSource({ root, packageDir, mainFile }: BuildPaths): Promise<Source> {
  const file = Bun.file(join(root, "VERSION"));
  if (await file.exists()) {
    const version = (await file.text()).trim();
    return { version, isHub: isWithin(root, mainFile), packed: null };
  }
  const manifest: unknown = await Bun.file(join(packageDir, "package.json"))
    .json()
    .catch(() => null);
  const { version, hub_build: build } = manifestSchema.catch(unknownManifest).parse(manifest);
  const isPacked = build !== null && isWithin(join(packageDir, ".."), mainFile);
  return { version, isHub: false, packed: isPacked ? build : null };
}

const unknownManifest = { version: "unknown", hub_build: null };

function toBuildName({ root, mainFile }: BuildPaths, { version, isHub }: Source): BuildName {
  const folder = isHub ? root : dirname(mainFile);
  return { hub_version: version, server_commit: toShortCommit(findCommit(folder)) };
}

function toShortCommit(commit: string | null): string {
  return commit?.slice(0, 7) ?? "unknown";
}

function isWithin(root: string, mainFile: string): boolean {
  return toRealPath(mainFile).startsWith(toRealPath(root) + sep);
}

/** The main file of a compiled program has no real path, although it exists. */
function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** A compiled program's main file has no time of its own. */
function findStarted(mainFile: string): number {
  return modifiedAt(mainFile) || modifiedAt(process.execPath);
}

function findNewestSource(packagesDir: string): number {
  let newestMs = 0;
  for (const name of readdirSync(packagesDir)) {
    const source = join(packagesDir, name, "src");
    for (const entry of readFolder(source)) {
      if (entry.isFile())
        newestMs = Math.max(newestMs, modifiedAt(join(entry.parentPath, entry.name)));
    }
  }
  return newestMs;
}

function readFolder(folder: string) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    return [];
  }
}

/** Files that are deleted meanwhile are ignored. */
function modifiedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function toRfc3339(ms: number): string {
  return new Date(Math.floor(ms / 1000) * 1000).toISOString().replace(".000Z", "Z");
}
