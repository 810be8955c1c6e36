import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HubError } from "../../errors.ts";
import { isEmbedded } from "../catalog/embedded-catalog.ts";
import type { GetDeps } from "../catalog/guarded-get.ts";
import type { PluginCatalog } from "../catalog/plugin-catalogs.ts";
import { chooseBuild, describeBuilds } from "../installed/choose-build.ts";
import type { PluginFolders } from "../installed/plugin-folders.ts";
import type { RemovedPlugins } from "../installed/removed-plugins.ts";
import type { SharedInstalls } from "../shared-installs.ts";
import { hashFile } from "../verify/check-hash.ts";
import { checkNewKey } from "../verify/check-key.ts";
import { refusePlugin } from "../verify/refuse-plugin.ts";
import { type VerifiedPlugin, type VerifyDeps, verifyPlugin } from "../verify/verify-plugin.ts";
import { checkSameSource } from "./check-source.ts";
import { checkNotOlder } from "./check-version.ts";
import { checkArchiveHash, fetchArchive } from "./fetch-archive.ts";
import { findSource, type PluginSource, type UploadedArchive } from "./find-install-source.ts";
import { toFullDiskError } from "./full-disk.ts";
import type { InstallLimits } from "./install-limits.ts";
import { type InstallSource, toInstallSource, writeInstallSource } from "./install-source.ts";
import type { InstalledVersion } from "./installed-version.ts";
import { placeVersion } from "./place-version.ts";
import { receiveArchive } from "./receive-archive.ts";
import { takeParts } from "./take-parts.ts";
import { unpackArchive } from "./unpack-archive.ts";

/** The progress of an install. `percent` is set while downloading if the size is known. */
export type InstallProgress = {
  phase: "downloading" | "verifying" | "replacing" | "done";
  percent?: number;
};

export type InstallOptions = {
  allowDowngrade?: boolean;
  /** Allows it to replace a plugin from another source. */
  replace?: boolean;
  /** Allows plain http. */
  insecure?: boolean;
  onProgress?: (progress: InstallProgress) => void;
  signal?: AbortSignal;
  /** The key that the plugin must have; null accepts any. */
  key?: string | null;
  /** The version that it must have. */
  version?: string;
  /** The user who installs it. */
  by?: string;
  /** The base of relative paths. */
  cwd: string;
};

export type InstallDeps = {
  folders: PluginFolders;
  installs: Pick<SharedInstalls, "findInstalled" | "publish">;
  removed: Pick<RemovedPlugins, "find" | "forget">;
  verify: VerifyDeps;
  get: GetDeps;
  catalog: PluginCatalog;
  limits: InstallLimits;
  createId(): string;
};

/**
 * Installs a plugin or another version of it. Unverified files stay in a staging folder, so a failure
 * leaves the installed version unchanged.
 */
export async function installPlugin(
  deps: InstallDeps,
  given: string | UploadedArchive,
  options: InstallOptions,
): Promise<VerifiedPlugin> {
  const { onProgress = () => {} } = options;
  const text = typeof given === "string" ? given : given.name;
  const staging = join(deps.folders.staging, deps.createId());
  try {
    await mkdir(staging, { recursive: true, mode: 0o700 });
    const gathered = await gatherParts(deps, given, { ...options, onProgress, staging });
    onProgress({ phase: "verifying" });
    const verified = await verifyPlugin(deps.verify, {
      dir: gathered.dir,
      key: gathered.key,
      source: text,
    });
    const { key, version, manifest } = verified;
    checkVersion(verified, options.version);
    const source = { ...gathered.source, version };
    const installed = await deps.installs.findInstalled(key);
    if (installed === null) checkNewKey(deps.verify.reservedKeys, key);
    if (!options.replace) {
      const before = installed ?? (await deps.removed.find(key));
      checkSameSource(deps.verify.trust, before, { key, manifest, source });
    }
    if (!options.allowDowngrade) checkDowngrade(installed, verified);
    onProgress({ phase: "replacing" });
    const staged = { verified, source, staging, by: options.by ?? "" };
    const dir = await deps.installs.publish(staged, installed, async (build) => {
      await writeInstallSource(gathered.dir, { ...source, ...(build !== null && { build }) });
      // Created after the download: its time is when the previous version was replaced.
      const id = deps.createId();
      return await placeVersion(deps.folders, { key, from: verified.dir, id });
    });
    await deps.removed.forget(key);
    onProgress({ phase: "done" });
    const binaryPath = join(dir, verified.binaryPath.slice(verified.dir.length));
    return { ...verified, dir, binaryPath };
  } catch (thrown) {
    throw toFullDiskError(thrown);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

type Gathering = InstallOptions & {
  onProgress: (progress: InstallProgress) => void;
  staging: string;
};

type Gathered = { dir: string; key: string | null; source: Omit<InstallSource, "version"> };

/** Copies the unverified manifest and program into the staging folder. */
async function gatherParts(
  deps: InstallDeps,
  given: string | UploadedArchive,
  options: Gathering,
): Promise<Gathered> {
  const { staging, key = null } = options;
  const dir = join(staging, "plugin");
  const source: PluginSource =
    typeof given === "string" ? await findSource(given, options.cwd) : { kind: "upload", ...given };
  const text = typeof given === "string" ? given : given.name;
  const from = toInstallSource(source, deps.catalog.location);
  if (source.kind === "folder") {
    await takeParts({ plugin: text, from: source.path, to: dir, isOwn: false });
    return { dir, key, source: from };
  }
  const archive = await gatherArchive(deps, source, options);
  options.onProgress({ phase: "verifying" });
  const unpacked = await unpackArchive(deps.limits, {
    plugin: archive.key ?? text,
    path: archive.path,
    target: join(staging, "unpacked"),
  });
  await takeParts({ plugin: archive.key ?? text, from: unpacked, to: dir, isOwn: true });
  return { dir, key: archive.key, source: from };
}

/** The file of the archive, and the key that it must have. */
async function gatherArchive(
  deps: InstallDeps,
  source: Exclude<PluginSource, { kind: "folder" }>,
  options: Gathering,
): Promise<{ path: string; key: string | null }> {
  const { staging, key = null } = options;
  switch (source.kind) {
    case "archive":
      return { path: source.path, key };
    case "upload": {
      const path = join(staging, "archive");
      await receiveArchive(deps.limits, source, path);
      return { path, key };
    }
    default:
      return await download(deps, source, options);
  }
}

type RemoteSource = Extract<PluginSource, { kind: "catalog" | "address" }>;

async function download(
  deps: InstallDeps,
  source: RemoteSource,
  { staging, key = null, insecure = false, onProgress, signal }: Gathering,
): Promise<{ path: string; key: string | null }> {
  const asset =
    source.kind === "catalog"
      ? await findAsset(deps, source.key)
      : { url: source.url, named: source.url, sha256: null, key };
  const plugin = asset.key ?? asset.url.href;
  if (asset.url.protocol === "file:") {
    const path = fileURLToPath(asset.url);
    if (!(await Bun.file(path).exists())) {
      throw new HubError(
        "not_found",
        "The catalog names a file on the hub's machine that does not exist. Create the catalog again.",
        { localMessage: `The catalog names ${path}, which does not exist. Create it again.` },
      );
    }
    if (asset.sha256 !== null) checkArchiveHash(plugin, asset.sha256, await hashFile(path));
    return { path, key: asset.key };
  }
  const path = join(staging, "archive");
  if (source.kind === "catalog" && isEmbedded(asset.url)) {
    await Bun.write(path, await deps.catalog.readEmbedded(asset.url), { mode: 0o600 });
    if (asset.sha256 !== null) checkArchiveHash(plugin, asset.sha256, await hashFile(path));
    return { path, key: asset.key };
  }
  onProgress({ phase: "downloading" });
  await fetchArchive(deps.get, deps.limits, {
    plugin,
    url: asset.url,
    named: asset.named,
    sha256: asset.sha256,
    path,
    insecure,
    onPercent: (percent) =>
      onProgress({ phase: "downloading", ...(percent !== undefined && { percent }) }),
    ...(signal !== undefined && { signal }),
  });
  return { path, key: asset.key };
}

async function findAsset({ catalog, verify }: InstallDeps, key: string) {
  const entry = await catalog.find(key);
  const platform = chooseBuild(verify, entry);
  const asset = platform === null ? undefined : entry.assets[platform];
  if (platform === null || asset === undefined) {
    throw refusePlugin({
      plugin: key,
      check: "platform",
      expected: `an archive for ${verify.hostPlatform} in the catalog`,
      found: describeBuilds(entry),
      remedy: "Ask its author for a build for this machine.",
    });
  }
  return { ...catalog.locate(asset), sha256: entry.sha256?.[platform] ?? null, key };
}

/** An installed version that cannot be read may be replaced by any version. */
function checkDowngrade(
  installed: InstalledVersion | null,
  { key, version }: VerifiedPlugin,
): void {
  const present = installed?.manifest?.version;
  if (present !== undefined) checkNotOlder({ key, installed: present, offered: version });
}

function checkVersion({ key, version }: VerifiedPlugin, wanted: string | undefined): void {
  if (wanted === undefined || version === wanted) return;
  throw refusePlugin({
    plugin: key,
    check: "version",
    expected: `version ${wanted}, which the other servers have`,
    found: version,
    remedy: "Update the plugin, so that every server gets the same version.",
  });
}
