import { lstat, readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/**
 * The layout of plugins in the data folder:
 *
 *     plugins/<key>                                            a link to the current version
 *     plugins/.versions/<key>/<id>/plugins/connectors/<key>/   plugin.json, the program, its source,
 *                                                              and its cosign signature if it has one
 *     plugins/.versions/<key>/<id>/plugins/<key>               a link to the plugin's home
 *     plugins/.staging/<id>/                                   an install in progress
 *     plugins/.homes/<key>/                                    the data of the plugin's program
 *
 * A version's folder never changes after it is linked, and the link is replaced by one rename. So a
 * manifest is never read with another version's program. A folder `plugins/<key>` that was copied
 * there by hand works too.
 *
 * A version-1 program at `…/plugins/connectors/<key>/<program>` keeps its data in `…/plugins/<key>`.
 * In each version that path is a link to the plugin's home, so data survives updates and is shared by
 * two versions that run at once.
 */
export type PluginFolders = ReturnType<typeof toPluginFolders>;

export function toPluginFolders(dataDir: string) {
  const root = join(dataDir, "plugins");
  const versions = join(root, ".versions");
  const homeOf = (key: string) => join(root, ".homes", key);
  return {
    root,
    staging: join(root, ".staging"),
    homeOf,
    link: (key: string) => join(root, key),
    versionsOf: (key: string) => join(versions, key),
    /** Target of a key's link: relative, so that the data folder can be moved. */
    toLinkTarget: (key: string, id: string) => join(".versions", key, id),
    /** Target of the link to the home in each version's folder. */
    toHomeTarget: (key: string) => relative(join(versions, key, "id", "plugins"), homeOf(key)),
    /** The folder that contains plugin.json; null if there is none or it is elsewhere. */
    async resolve(key: string): Promise<string | null> {
      try {
        const [base, real] = await Promise.all([realpath(root), realpath(join(root, key))]);
        if (real === join(base, key)) return real;
        if (!real.startsWith(join(base, ".versions") + sep)) return null;
        return await findParts(real, key);
      } catch {
        return null;
      }
    },
  };
}

/** The folder of a plugin's parts in the folder of a version. */
export function toPartsDir(version: string, key: string): string {
  return join(version, "plugins", "connectors", key);
}

/** The path of a version-1 program's data in the folder of a version. */
export function toDataLink(version: string, key: string): string {
  return join(version, "plugins", key);
}

async function findParts(version: string, key: string): Promise<string | null> {
  const parts = toPartsDir(version, key);
  const real = await realpath(parts).catch(() => null);
  // Refuses links in the path, which could point to files outside the plugins folder.
  if (real !== null) return real === parts ? parts : null;
  // The layout of older hubs, until the next start migrates it.
  const manifest = await lstat(join(version, "plugin.json")).catch(() => null);
  return manifest === null ? null : version;
}

/** Names of the plugins in the folder `plugins`, without hidden entries and files. */
export async function listPluginNames({ root }: PluginFolders): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch((err) => {
    if (err.code === "ENOENT") return [];
    throw err;
  });
  return entries
    .filter(
      (entry) => !entry.name.startsWith(".") && (entry.isDirectory() || entry.isSymbolicLink()),
    )
    .map((entry) => entry.name)
    .sort();
}
