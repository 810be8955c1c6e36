import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { thinPlatform } from "@hub/contract/plugin-manifest.ts";
import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import {
  addPluginBuild,
  deletePluginChunks,
  type NewPluginBuild,
  type PluginInstall,
  putPluginInstall,
} from "../../store/plugins/plugin-installs.ts";
import type { StagedVersion } from "../shared-installs.ts";
import { suitsPlatform } from "../verify/check-platform.ts";
import type { VerifyDeps } from "../verify/verify-plugin.ts";
import { storeChunks } from "./archive-chunks.ts";
import { packParts } from "./pack-parts.ts";

export type PublishDeps = {
  db: Db;
  verify: Pick<VerifyDeps, "hostPlatform">;
  createId(): string;
  now(): number;
};

/**
 * Stores a verified version in the database and makes it the installed one in place of `present`,
 * in one step after its last chunk. A build of the present version for a platform that has none is
 * added to it. Returns the id of the build. Throws `conflict` if `present` is not installed any more.
 */
export async function publishVersion(
  deps: PublishDeps,
  version: StagedVersion,
  present: PluginInstall | null,
): Promise<string> {
  const { db, createId, now } = deps;
  const { verified, source, staging, by } = version;
  const { key, manifest } = verified;
  const packed = await packParts(verified, join(staging, "shared.tar.gz"));
  const isSameVersion = present?.version === verified.version;
  const own = isSameVersion ? findBuild(present, deps.verify.hostPlatform) : null;
  // Nothing changes for the other servers, and this one gets its files again.
  if (own !== null && own.archiveSha256 === packed.sha256) return own.id;
  const id = createId();
  try {
    const build: NewPluginBuild = {
      id,
      platforms: manifest.os_arch,
      manifest: await readFile(join(verified.dir, "plugin.json"), "utf8"),
      archiveSha256: packed.sha256,
      archiveBytes: packed.bytes,
      chunks: await storeChunks(db, { path: packed.path, buildId: id, now }),
    };
    const isStored =
      present !== null && isSameVersion && !hasBuildFor(present, manifest.os_arch)
        ? await addPluginBuild(db, { key, installId: present.id, build })
        : await putPluginInstall(
            db,
            {
              key,
              id: createId(),
              version: verified.version,
              build,
              source: JSON.stringify(source),
              installedBy: by,
              installedAt: now(),
            },
            { replaces: present?.id ?? null },
          );
    if (!isStored) throw refuseConcurrentChange(key);
  } catch (failure) {
    // If the database is away, a later purge deletes them.
    await deletePluginChunks(db, id).catch(() => {});
    throw failure;
  }
  return id;
}

/** The build of an installed version for a platform. */
export function findBuild({ builds }: PluginInstall, platform: string) {
  return builds.find(({ platforms }) => suitsPlatform(platforms, platform)) ?? null;
}

/** The builds of a version have one form: a build of the other form replaces them all. */
function hasBuildFor(install: PluginInstall, platforms: readonly string[]): boolean {
  if (platforms.includes(thinPlatform)) return true;
  return platforms.some((platform) => findBuild(install, platform) !== null);
}

/** The failure of an install or removal that another server was faster than. */
export function refuseConcurrentChange(key: string): HubError {
  return new HubError(
    "conflict",
    `Another server installed or removed ${key} at the same time. See \`hub plugin list\`, then try again.`,
  );
}
