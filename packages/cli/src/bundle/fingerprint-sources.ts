import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

type Sources = { root: string; mains: readonly string[]; folders: readonly string[] };

/**
 * Hashes everything that a bundle depends on: path, size, mtime and ctime of each source, and what
 * npm installed. The ctime is included because tools may set the mtime back.
 */
export function fingerprintSources({ root, mains, folders }: Sources): string {
  const hasher = new Bun.CryptoHasher("sha256");
  hasher.update(JSON.stringify([Bun.version, root, mains]));
  const packages = join(root, "packages");
  const files = ["package.json", "tsconfig.json", "node_modules/.package-lock.json"];
  for (const name of readdirSync(packages).sort()) {
    files.push(join("packages", name, "package.json"));
    files.push(...listSources(root, join("packages", name, "src")));
  }
  for (const folder of folders) files.push(...listSources(root, folder));
  for (const file of files) {
    const found = statSync(join(root, file), { throwIfNoEntry: false });
    hasher.update(`${file}\0${found?.size}\0${found?.mtimeMs}\0${found?.ctimeMs}\n`);
  }
  return hasher.digest("hex").slice(0, 16);
}

function listSources(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => path.slice(root.length + 1))
      .sort();
  } catch {
    return [];
  }
}
