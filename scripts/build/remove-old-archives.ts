import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArchiveName } from "../../packages/cli/src/wick/publish/parse-archive-name.ts";

/** Removes the archives of plugins that the checkout no longer has, and of their other versions. */
export async function removeOldArchives(
  root: string,
  out: string,
  keys: readonly string[],
): Promise<void> {
  const versions = new Map<string, string>();
  for (const key of keys) {
    const { version } = await Bun.file(join(root, "plugins", key, "package.json")).json();
    versions.set(key, String(version));
  }
  for (const file of await readdir(out)) {
    const name = parseArchiveName(file);
    if (name === null || versions.get(name.key) === name.version) continue;
    await rm(join(out, file), { force: true });
  }
}
