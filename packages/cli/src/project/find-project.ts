import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative } from "node:path";

/** A folder whose package.json names the entry file of a hub: `"hub": {"entry": "main.ts"}`. */
export type Project = {
  /** The real path of the folder. */
  root: string;
  /** The real path of the entry file, which is below the root. */
  entry: string;
  /** Name of the compiled program, without a suffix. */
  name: string;
};

/** Returns the project in this folder, or null. Throws if its entry cannot be used. */
export function findProject(folder: string): Project | null {
  const manifest = readManifest(folder);
  const entry = readEntry(manifest);
  if (entry === undefined) return null;
  const root = realpathSync(folder);
  const path = join(root, String(entry));
  if (typeof entry !== "string" || entry === "" || !isBelow(root, path)) {
    throw toManifestError(root, `"hub": {"entry": …} must be a file in this folder.`);
  }
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) {
    throw toManifestError(root, `"hub": {"entry": "${entry}"} names a file that does not exist.`);
  }
  const realEntry = realpathSync(path);
  if (!isBelow(root, realEntry)) {
    throw toManifestError(root, `the entry "${entry}" is a link to a file outside this folder.`);
  }
  return { root, entry: realEntry, name: toName(manifest, root) };
}

/** Returns the project whose entry is this file, or null. Never throws. */
export function findProjectOfEntry(entry: string): Project | null {
  if (!existsSync(entry)) return null;
  const path = realpathSync(entry);
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const project = tryFindProject(folder);
    if (project?.entry === path) return project;
    if (dirname(folder) === folder) return null;
  }
}

/** As {@link findProject}, but returns null if the entry cannot be used. */
export function tryFindProject(folder: string): Project | null {
  try {
    return findProject(folder);
  } catch {
    return null;
  }
}

function readManifest(folder: string): unknown {
  const file = join(folder, "package.json");
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return null;
  try {
    // Some editors write a byte order mark, which npm ignores too.
    return JSON.parse(readFileSync(file, "utf8").replace(/^\uFEFF/, ""));
  } catch {
    throw toManifestError(folder, "it is not valid JSON.");
  }
}

function readEntry(manifest: unknown): unknown {
  return readMember(readMember(manifest, "hub"), "entry");
}

function readMember(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

/** Whether a path is within a folder. Both are absolute. */
export function isBelow(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}

/** The package's name without its scope. */
function toName(manifest: unknown, root: string): string {
  const given = readMember(manifest, "name");
  const name = basename(typeof given === "string" ? given : root).replace(/[^\w.-]+/g, "-");
  return /^[\w-]/.test(name) ? name.slice(0, 64) : "hub";
}

function toManifestError(root: string, reason: string): Error {
  return new Error(`${join(root, "package.json")}: ${reason}`);
}
