import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { z } from "zod";
import { findCommit } from "./find-commit.ts";
import { packageFolder } from "./package-folder.ts";

/** Version, build time and commit of the running program; the answer of `hub_info`. */
export type BuildInfo = {
  hub_version: string;
  /** RFC 3339, UTC. */
  server_build_time: string;
  /** Seven digits, or "unknown" outside a checkout. */
  server_commit: string;
};

/** Set by a bundler (`--define HUB_BUILD_INFO={…}`), because a binary has no source files. */
declare const HUB_BUILD_INFO: BuildInfo | undefined;

const packedBuildSchema = z.object({
  hub_version: z.string(),
  server_build_time: z.string(),
  server_commit: z.string(),
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
export async function readBuildInfo(paths: Partial<BuildPaths> = {}): Promise<BuildInfo> {
  if (typeof HUB_BUILD_INFO !== "undefined") return HUB_BUILD_INFO;
  const packed = await findPackedBuild(paths);
  if (packed !== null) return packed;
  const { root, mainFile, isHub, hub_version, server_commit } = await readSources(paths);
  const builtMs = isHub ? findNewestSource(join(root, "packages")) : findStarted(mainFile);
  return { hub_version, server_build_time: toRfc3339(builtMs), server_commit };
}

/** Which build of the hub it is. */
export type BuildName = Pick<BuildInfo, "hub_version" | "server_commit">;

/** Version and commit, without a look at every source file. */
export async function readBuildName(paths: Partial<BuildPaths> = {}): Promise<BuildName> {
  if (typeof HUB_BUILD_INFO !== "undefined") return HUB_BUILD_INFO;
  const build = (await findPackedBuild(paths)) ?? (await readSources(paths));
  return { hub_version: build.hub_version, server_commit: build.server_commit };
}

async function readSources(paths: Partial<BuildPaths>) {
  const packageDir = paths.packageDir ?? packageFolder;
  const root = paths.root ?? join(packageDir, "..", "..");
  const mainFile = paths.mainFile ?? Bun.main;
  const ownVersion = await readVersionFile(root);
  const isHub = ownVersion !== null && isWithin(root, mainFile);
  return {
    ...{ root, mainFile, isHub },
    hub_version: ownVersion ?? (await readPackageVersion(packageDir)),
    server_commit: toShortCommit(findCommit(isHub ? root : dirname(mainFile))),
  };
}

/** The version alone, without a look at every source file. */
export async function readHubVersion(): Promise<string> {
  if (typeof HUB_BUILD_INFO !== "undefined") return HUB_BUILD_INFO.hub_version;
  const ownVersion = await readVersionFile(join(packageFolder, "..", ".."));
  return ownVersion ?? (await readPackageVersion(packageFolder));
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
  const ownVersion = await readVersionFile(join(packageDir, "..", ".."));
  return {
    hub_version: ownVersion ?? (await readPackageVersion(packageDir)),
    server_build_time: toRfc3339(builtMs),
    server_commit: toShortCommit(commit),
  };
}

function toShortCommit(commit: string | null): string {
  return commit?.slice(0, 7) ?? "unknown";
}

function isWithin(root: string, mainFile: string): boolean {
  const main = existsSync(mainFile) ? realpathSync(mainFile) : mainFile;
  return main.startsWith(realpathSync(root) + sep);
}

async function readVersionFile(root: string): Promise<string | null> {
  const file = Bun.file(join(root, "VERSION"));
  return (await file.exists()) ? (await file.text()).trim() : null;
}

/** What `npm run pack` wrote into the package; null if something else was started. */
async function findPackedBuild(paths: Partial<BuildPaths>): Promise<BuildInfo | null> {
  const packageDir = paths.packageDir ?? packageFolder;
  const manifest = await Bun.file(join(packageDir, "package.json"))
    .json()
    .catch(() => null);
  const build = packedBuildSchema.safeParse(manifest?.hub_build);
  if (!build.success) return null;
  return isWithin(join(packageDir, ".."), paths.mainFile ?? Bun.main) ? build.data : null;
}

async function readPackageVersion(packageDir: string): Promise<string> {
  const manifest: unknown = await Bun.file(join(packageDir, "package.json"))
    .json()
    .catch(() => null);
  const isNamed = typeof manifest === "object" && manifest !== null && "version" in manifest;
  return isNamed ? String(manifest.version) : "unknown";
}

/** The main file of a compiled program is inside the program. */
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
