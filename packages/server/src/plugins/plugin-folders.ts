import { lstat, readdir, realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";

/**
 * Where plugins lie in the data folder:
 *
 *     plugins/<key>                                            a link to the version that counts
 *     plugins/.versions/<key>/<id>/plugins/connectors/<key>/   plugin.json, the program, perhaps its
 *                                                              cosign signature, where it came from
 *     plugins/.versions/<key>/<id>/plugins/<key>               a link to the plugin's home
 *     plugins/.staging/<id>/                                   an install under way
 *     plugins/.homes/<key>/                                    what the plugin's program keeps
 *
 * A version's folder never changes once the link names it, and the link is replaced by one rename. So
 * nobody ever reads a manifest beside another version's program. A plain folder `plugins/<key>`, put
 * there by hand, works as well.
 *
 * Programs of version 1 that lie at `…/plugins/connectors/<key>/<program>` keep their data in
 * `…/plugins/<key>`. Each version has such a place of its own, and all of them lead to one home: what
 * is stored outlasts an update, and two versions that run at once share it.
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
    /** What the link of a key holds: relative, so that the data folder can be moved. */
    toLinkTarget: (key: string, id: string) => join(".versions", key, id),
    /** What the link to the home holds, in each version's folder. */
    toHomeTarget: (key: string) => relative(join(versions, key, "id", "plugins"), homeOf(key)),
    /** The folder that holds plugin.json; null where there is none, or it lies elsewhere. */
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

/** Where the parts of a plugin lie in the folder of a version. */
export function toPartsDir(version: string, key: string): string {
  return join(version, "plugins", "connectors", key);
}

/** Where a program of version 1 looks for its data, in the folder of a version. */
export function toDataLink(version: string, key: string): string {
  return join(version, "plugins", key);
}

async function findParts(version: string, key: string): Promise<string | null> {
  const parts = toPartsDir(version, key);
  const real = await realpath(parts).catch(() => null);
  // A link on the way would lead to files that nobody looks after.
  if (real !== null) return real === parts ? parts : null;
  // So it lies where an older hub installed it, until the next start lays it out anew.
  const manifest = await lstat(join(version, "plugin.json")).catch(() => null);
  return manifest === null ? null : version;
}

/** Names in `plugins` that stand for plugins: all but those that begin with a dot, and stray files. */
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
