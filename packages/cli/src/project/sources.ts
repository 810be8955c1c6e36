import { createHash } from "node:crypto";
import { existsSync, statSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { findHubCheckout } from "./hub-package.ts";

const lockFiles = ["package-lock.json", "bun.lock", "bun.lockb", "yarn.lock", "pnpm-lock.yaml"];

/** What a source of the bundle can depend on without importing it. */
const settingFiles = ["package.json", "tsconfig.json", "node_modules/.package-lock.json"];

/**
 * Returns the files on which a build depends, relative to the root: the bundled files outside
 * `node_modules`, and the settings and lock files that apply to them.
 */
export function toSources(root: string, bundled: readonly string[]): string[] {
  const own = bundled.filter((path) => !relative(root, path).split(sep).includes("node_modules"));
  const folders = new Set([root, ...own.map((path) => dirname(path))]);
  // Also those that do not exist yet, because adding a lock file changes what npm installs.
  const files = new Set([...own, ...toSettings(root)]);
  for (const folder of folders) {
    for (const names of [["package.json"], ["tsconfig.json"], lockFiles]) {
      for (const path of findNearest(folder, names)) files.add(path);
    }
  }
  const checkout = findHubCheckout(root);
  if (checkout !== null) {
    for (const path of [join(checkout, "VERSION"), ...toSettings(checkout)]) files.add(path);
  }
  return [...files].map((path) => relative(root, path)).sort();
}

function toSettings(folder: string): string[] {
  return [...settingFiles, ...lockFiles].map((name) => join(folder, name));
}

/** Those of the files that exist, in the nearest folder upwards that has one. */
function findNearest(start: string, names: readonly string[]): string[] {
  for (let folder = start; ; folder = dirname(folder)) {
    const found = names.map((name) => join(folder, name)).filter((path) => existsSync(path));
    if (found.length > 0 || dirname(folder) === folder) return found;
  }
}

/** The state of a list of sources. */
export type SourceState = {
  /** Changes with the size and the times of any source. */
  fingerprint: string;
  /** The latest time at which the content of a source was modified, in milliseconds. */
  newestMs: number;
  /** The latest time at which a source was changed in any way. A user cannot set it. */
  changedMs: number;
};

/** Only reads what the folders say about the files, so that it takes a few milliseconds. */
export function readSourceState(root: string, sources: readonly string[]): SourceState {
  const hash = createHash("sha256");
  let [newestMs, changedMs] = [0, 0];
  for (const source of sources) {
    const found = statSync(resolve(root, source), { throwIfNoEntry: false });
    hash.update(`${source}\0${found?.size}\0${found?.mtimeMs}\0${found?.ctimeMs}\n`);
    newestMs = Math.max(newestMs, found?.mtimeMs ?? 0);
    changedMs = Math.max(changedMs, found?.ctimeMs ?? 0);
  }
  return { fingerprint: hash.digest("hex"), newestMs, changedMs };
}
