import { sql } from "kysely";
import { type Db, type Transaction, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { bumpRevision } from "../settings/revision.ts";

/** A plugin that is installed on every server of the database. */
export type PluginInstall = {
  key: string;
  /** Changes with each installation of another version. */
  id: string;
  version: string;
  /** JSON. */
  source: string;
  installedBy: string;
  installedAt: number;
  builds: PluginBuild[];
};

/** The archive of a version, for one platform or several. Its bytes are in chunks. */
export type PluginBuild = {
  id: string;
  platforms: string[];
  archiveSha256: string;
  archiveBytes: number;
  chunks: number;
};

export type NewPluginBuild = PluginBuild & { manifest: string };

/** By key, without the manifests. */
export async function listPluginInstalls(db: Db): Promise<PluginInstall[]> {
  const found = await toKysely(db)
    .selectFrom("plugin_installs")
    .leftJoin("plugin_builds", "plugin_builds.plugin_key", "plugin_installs.plugin_key")
    .select([
      "plugin_installs.plugin_key as key",
      "plugin_installs.id",
      "version",
      "source",
      "installed_by as installedBy",
      "installed_at as installedAt",
      "plugin_builds.id as buildId",
      "platforms",
      "archive_sha256 as archiveSha256",
      "archive_bytes as archiveBytes",
      "chunks",
    ])
    .orderBy("plugin_installs.plugin_key")
    .orderBy("plugin_builds.id")
    .execute();
  const installs = new Map<string, PluginInstall>();
  for (const { buildId, platforms, archiveSha256, archiveBytes, chunks, ...install } of found) {
    const builds: PluginBuild[] = installs.get(install.key)?.builds ?? [];
    if (
      buildId !== null &&
      platforms !== null &&
      archiveSha256 !== null &&
      archiveBytes !== null &&
      chunks !== null
    ) {
      const parsed: string[] = JSON.parse(platforms);
      builds.push({ id: buildId, platforms: parsed, archiveSha256, archiveBytes, chunks });
    }
    installs.set(install.key, { ...install, builds });
  }
  return [...installs.values()];
}

/** The text of `plugin.json` of a build; null if the build was replaced. */
export async function findPluginManifest(db: Db, buildId: string): Promise<string | null> {
  const found = await toKysely(db)
    .selectFrom("plugin_builds")
    .select("manifest")
    .where("id", "=", buildId)
    .executeTakeFirst();
  return found?.manifest ?? null;
}

type NewPluginInstall = Omit<PluginInstall, "builds"> & { build: NewPluginBuild };

/**
 * Installs a version in place of the installation with the id `replaces`, or of none. False if
 * another server has installed or removed the plugin since, or if chunks of the archive are missing.
 */
export function putPluginInstall(
  db: Db,
  install: NewPluginInstall,
  { replaces }: { replaces: string | null },
): Promise<boolean> {
  const { key, id, version, source, installedBy, installedAt, build } = install;
  return transaction(db, async (trx) => {
    const present = await findInstallId(trx, key);
    if (present !== replaces || !(await hasChunks(trx, build))) return false;
    await deleteInstall(trx, key);
    await toKysely(trx)
      .insertInto("plugin_installs")
      .values({
        plugin_key: key,
        id,
        version,
        source,
        installed_by: installedBy,
        installed_at: installedAt,
      })
      .execute();
    await insertBuild(trx, key, build);
    await bumpRevision(trx);
    return true;
  });
}

/**
 * Adds a build for a platform that an installation has none for. False as for `putPluginInstall`,
 * or if another server has added one.
 */
export function addPluginBuild(
  db: Db,
  { key, installId, build }: { key: string; installId: string; build: NewPluginBuild },
): Promise<boolean> {
  return transaction(db, async (trx) => {
    if ((await findInstallId(trx, key)) !== installId || !(await hasChunks(trx, build))) {
      return false;
    }
    const present = await toKysely(trx)
      .selectFrom("plugin_builds")
      .select("platforms")
      .where("plugin_key", "=", key)
      .execute();
    const taken = new Set(present.flatMap(({ platforms }) => JSON.parse(platforms)));
    if (build.platforms.some((platform) => taken.has(platform))) return false;
    await insertBuild(trx, key, build);
    await bumpRevision(trx);
    return true;
  });
}

/** False if it was not installed. Its chunks remain until they are purged. */
export function deletePluginInstall(db: Db, key: string): Promise<boolean> {
  return transaction(db, async (trx) => {
    const isDeleted = await deleteInstall(trx, key);
    if (isDeleted) await bumpRevision(trx);
    return isDeleted;
  });
}

async function findInstallId(trx: Transaction, key: string): Promise<string | null> {
  const found = await toKysely(trx)
    .selectFrom("plugin_installs")
    .select("id")
    .where("plugin_key", "=", key)
    .executeTakeFirst();
  return found?.id ?? null;
}

async function deleteInstall(trx: Transaction, key: string): Promise<boolean> {
  const { numDeletedRows } = await toKysely(trx)
    .deleteFrom("plugin_installs")
    .where("plugin_key", "=", key)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

async function insertBuild(trx: Transaction, key: string, build: NewPluginBuild): Promise<void> {
  const { id, platforms, manifest, archiveSha256, archiveBytes, chunks } = build;
  await toKysely(trx)
    .insertInto("plugin_builds")
    .values({
      id,
      plugin_key: key,
      platforms: JSON.stringify(platforms),
      manifest,
      archive_sha256: archiveSha256,
      archive_bytes: archiveBytes,
      chunks,
    })
    .execute();
}

/** Whether the whole archive is stored: a purge may have deleted parts of one that took long. */
async function hasChunks(trx: Transaction, build: PluginBuild): Promise<boolean> {
  const stored = await toKysely(trx)
    .selectFrom("plugin_chunks")
    .select(({ fn }) => [
      fn.countAll<number>().as("chunks"),
      fn.sum<number>(sql`length(bytes)`).as("bytes"),
    ])
    .where("build_id", "=", build.id)
    .executeTakeFirst();
  return (
    Number(stored?.chunks) === build.chunks && Number(stored?.bytes ?? 0) === build.archiveBytes
  );
}

export async function putPluginChunk(
  db: Db,
  { buildId, position, bytes, at }: PluginChunk & { at: number },
): Promise<void> {
  await toKysely(db)
    .insertInto("plugin_chunks")
    .values({ build_id: buildId, position, bytes, stored_at: at })
    .execute();
}

type PluginChunk = { buildId: string; position: number; bytes: Uint8Array };

/** Null if the build was replaced meanwhile. */
export async function findPluginChunk(
  db: Db,
  { buildId, position }: Omit<PluginChunk, "bytes">,
): Promise<Uint8Array | null> {
  const found = await toKysely(db)
    .selectFrom("plugin_chunks")
    .select("bytes")
    .where("build_id", "=", buildId)
    .where("position", "=", position)
    .executeTakeFirst();
  return found?.bytes ?? null;
}

/** Deletes the chunks of builds that never existed or do not exist any more. */
export async function purgePluginChunks(
  db: Db,
  { storedBefore }: { storedBefore: number },
): Promise<void> {
  const kysely = toKysely(db);
  const unused = await kysely
    .selectFrom("plugin_chunks")
    .select("build_id")
    .where("build_id", "not in", kysely.selectFrom("plugin_builds").select("id"))
    .groupBy("build_id")
    .having(({ fn }) => fn.max("stored_at"), "<", storedBefore)
    .execute();
  for (const { build_id: id } of unused) await deletePluginChunks(db, id);
}

/**
 * Deletes the chunks of an archive, unless they are those of a build. Serializable, so that the
 * archive cannot become a build meanwhile.
 */
export function deletePluginChunks(db: Db, buildId: string): Promise<void> {
  return transaction(db, async (trx) => {
    const build = await toKysely(trx)
      .selectFrom("plugin_builds")
      .select("id")
      .where("id", "=", buildId)
      .executeTakeFirst();
    if (build !== undefined) return;
    await toKysely(trx).deleteFrom("plugin_chunks").where("build_id", "=", buildId).execute();
  });
}
