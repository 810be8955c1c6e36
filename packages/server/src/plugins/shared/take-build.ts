import { mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { toBytesText } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import {
  findPluginManifest,
  type PluginBuild,
  type PluginInstall,
} from "../../store/plugins/plugin-installs.ts";
import { toFullDiskError } from "../install/full-disk.ts";
import type { InstallLimits } from "../install/install-limits.ts";
import { parseInstallSource, writeInstallSource } from "../install/install-source.ts";
import { placeVersion } from "../install/place-version.ts";
import { takeParts } from "../install/take-parts.ts";
import { unpackArchive } from "../install/unpack-archive.ts";
import { refuseArchive } from "../install/unpack-budget.ts";
import type { PluginFolders } from "../installed/plugin-folders.ts";
import { parseManifest } from "../verify/read-manifest.ts";
import { type VerifyDeps, verifyManifest, verifyPlugin } from "../verify/verify-plugin.ts";
import { fetchChunks } from "./archive-chunks.ts";
import { findLocalCopy } from "./local-copies.ts";

export type TakeDeps = {
  db: Db;
  folders: PluginFolders;
  verify: VerifyDeps;
  limits: InstallLimits;
  createId(): string;
};

type Taking = {
  install: PluginInstall;
  build: PluginBuild;
  /** Whether the copy in the folder is of this build, but damaged. */
  isRepair: boolean;
  signal: AbortSignal;
};

/**
 * Fetches a build from the database, verifies it as this server would verify any archive, and puts it
 * into the folder. Unverified files stay in a staging folder.
 */
export async function takeBuild(deps: TakeDeps, taking: Taking): Promise<void> {
  const { db, folders, verify, limits, createId } = deps;
  const { install, build, isRepair, signal } = taking;
  const { key } = install;
  const staging = join(folders.staging, createId());
  const dir = join(staging, "plugin");
  try {
    const manifest = await findPluginManifest(db, build.id);
    if (manifest === null) throw refuseReplaced(key);
    // Most refusals follow from the manifest, and need no download.
    verifyManifest(verify, parseManifest(key, manifest), key);
    if (build.archiveBytes > limits.archiveBytesMax) {
      const found = String(build.archiveBytes);
      throw refuseArchive(key, `at most ${toBytesText(limits.archiveBytesMax)}`, found);
    }
    await mkdir(staging, { recursive: true, mode: 0o700 });
    const path = join(staging, "archive");
    await fetchChunks(db, { key, build, path, signal });
    const target = join(staging, "unpacked");
    const unpacked = await unpackArchive(limits, { plugin: key, path, target });
    await takeParts({ plugin: key, from: unpacked, to: dir, isOwn: true });
    if ((await readFile(join(dir, "plugin.json"), "utf8")) !== manifest) {
      throw refuseArchive(key, "the manifest of the installed version", "another one");
    }
    await verifyPlugin(verify, { dir, key, source: key });
    await writeInstallSource(dir, { ...parseInstallSource(install.source), build: build.id });
    if ((await findPluginManifest(db, build.id)) === null) throw refuseReplaced(key);
    // Another process of this folder may have been faster.
    const copy = await findLocalCopy(folders, key);
    if (!isRepair && copy.kind === "version" && copy.build === build.id) return;
    // Files that were placed by hand meanwhile stay.
    if (copy.kind === "manual") return;
    await placeVersion(folders, { key, from: dir, id: createId() });
  } catch (thrown) {
    throw toFullDiskError(thrown);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

function refuseReplaced(key: string): HubError {
  return new HubError("conflict", `Another version of ${key} was installed meanwhile.`);
}
