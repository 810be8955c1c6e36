import { readdir, realpath } from "node:fs/promises";
import { join, sep } from "node:path";

/**
 * Where plugins lie in the data folder:
 *
 *     plugins/<key>                      a link to the version that counts
 *     plugins/.versions/<key>/<id>/      plugin.json, the program, perhaps its cosign signature
 *     plugins/.staging/<id>/             an install under way
 *     plugins/.homes/<key>/              what the plugin's program keeps for itself
 *
 * A version's folder never changes once the link names it, and the link is replaced by one rename. So
 * nobody ever reads a manifest beside another version's program. A plain folder `plugins/<key>`, put
 * there by hand, works as well.
 */
export type PluginFolders = ReturnType<typeof toPluginFolders>;

export function toPluginFolders(dataDir: string) {
  const root = join(dataDir, "plugins");
  const versions = join(root, ".versions");
  return {
    root,
    staging: join(root, ".staging"),
    homeOf: (key: string) => join(root, ".homes", key),
    link: (key: string) => join(root, key),
    versionsOf: (key: string) => join(versions, key),
    /** What the link of a key holds: relative, so that the data folder can be moved. */
    toLinkTarget: (key: string, id: string) => join(".versions", key, id),
    /** The folder behind `plugins/<key>`; null where there is none, or it lies elsewhere. */
    async resolve(key: string): Promise<string | null> {
      try {
        const [base, real] = await Promise.all([realpath(root), realpath(join(root, key))]);
        const isInside = real === join(base, key) || real.startsWith(join(base, ".versions") + sep);
        return isInside ? real : null;
      } catch {
        return null;
      }
    },
  };
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
