/**
 * Run by the server at the first request for a page: builds the app unless the current sources have
 * been built before, and prints the folder. A process of its own, because the bundler's memory would
 * never return to the system.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { buildWeb } from "./build-web.ts";
import { fingerprintWeb } from "./fingerprint.ts";

const keptMax = 4;

const root = join(import.meta.dirname, "..", "..", "..");
const cache = join(root, "node_modules", ".cache", "hub");
const folder = join(cache, `web-${fingerprintWeb(root)}`);
if (!existsSync(folder)) {
  const draft = `${folder}.${process.pid}.tmp`;
  mkdirSync(cache, { recursive: true });
  try {
    await buildWeb({ folder: join(root, "packages", "web"), out: draft });
    moveIntoPlace(draft);
    removeOldFolders();
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
console.log(folder);

function moveIntoPlace(draft: string): void {
  try {
    renameSync(draft, folder);
  } catch (failure) {
    // Another process has written the same folder first.
    if (!existsSync(folder)) throw failure;
  }
}

/** The server reads the whole folder at once, so that old ones are not in use. */
function removeOldFolders(): void {
  const folders = readdirSync(cache)
    .filter((name) => /^web-[0-9a-f]+$/.test(name))
    .map((name) => join(cache, name))
    .map((path) => ({ path, bornMs: statSync(path, { throwIfNoEntry: false })?.birthtimeMs ?? 0 }))
    .sort((one, other) => other.bornMs - one.bornMs);
  for (const { path } of folders.slice(keptMax)) rmSync(path, { recursive: true, force: true });
}
