import { chmodSync, lchownSync, lstatSync, readdirSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { Account, ProgramFolders } from "./launch-plan.ts";

const groupPasses = 0o010;
const groupReads = 0o050;

/**
 * Gives the user of a program what it needs of the hub's folders: its own folders, its program, and the
 * right to pass the folders on the way, by their group. `words` are its file and its arguments: the bundle of a
 * thin plugin is one of these. Throws an Error if a folder is another user's.
 */
export function openWay(
  dataDir: string,
  words: readonly string[],
  { read, written, way }: ProgramFolders,
  user: Account,
): void {
  for (const folder of written) giveFolder(dataDir, folder, user);
  const inData = [...read, ...written].filter((path) => path.startsWith(`${dataDir}/`));
  const passed = new Set([...way, ...inData.flatMap((path) => listAbove(path, dataDir))]);
  for (const folder of passed) allowGroup(folder, user, groupPasses);
  for (const folder of read.filter((path) => path.startsWith(`${dataDir}/`))) {
    allowGroup(folder, user, groupReads);
    const files = words.filter((word) => dirname(word) === folder);
    for (const file of files) allowGroup(file, user, groupReads);
  }
}

function listAbove(path: string, dataDir: string): string[] {
  const above = dirname(path);
  return above === dataDir ? [dataDir] : [above, ...listAbove(above, dataDir)];
}

/** Changes nothing that is right already, because a changed program is verified again. */
function allowGroup(path: string, { uid, gid }: Account, bits: number): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink() || stats.uid === uid) {
    throw new Error("HUB_PLUGIN_USER owns a folder of the hub. Give it back to the hub's user");
  }
  if (stats.gid !== gid) lchownSync(path, stats.uid, gid);
  const mode = (stats.mode & 0o700) | bits;
  if ((stats.mode & 0o7777) !== mode) chmodSync(path, mode);
}

/** The hub makes it when the program starts first. What is in it then came from a program of the hub's user. */
function giveFolder(dataDir: string, folder: string, { uid, gid }: Account): void {
  const stats = lstatSync(folder);
  if (stats.uid === uid) return;
  const entries = readdirSync(folder);
  const isNew = entries.length === 0 || (entries.length === 1 && entries[0] === "tmp");
  if (!stats.isDirectory() || !isNew) {
    throw new Error(
      `its folder ${relative(dataDir, folder)} in the data folder is not that of HUB_PLUGIN_USER. Run chown -R ${uid}:${gid} on it`,
    );
  }
  for (const entry of entries) lchownSync(`${folder}/${entry}`, uid, gid);
  lchownSync(folder, uid, gid);
}
