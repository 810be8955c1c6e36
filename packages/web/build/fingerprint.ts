import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Hashes what the bundle depends on: path, size and times of each source, what npm installed, and
 * Bun's version. The ctime is included because tools may set the mtime back.
 */
export function fingerprintWeb(root: string): string {
  const hasher = new Bun.CryptoHasher("sha256").update(Bun.version);
  const folders = ["packages/web", "packages/contract/src"];
  const files = folders.flatMap((folder) => listFiles(root, folder));
  for (const file of [...files, "node_modules/.package-lock.json"]) {
    const found = statSync(join(root, file), { throwIfNoEntry: false });
    hasher.update(`${file}\0${found?.size}\0${found?.mtimeMs}\0${found?.ctimeMs}\n`);
  }
  return hasher.digest("hex").slice(0, 16);
}

function listFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes(".test."))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !path.includes("node_modules"))
    .sort();
}
