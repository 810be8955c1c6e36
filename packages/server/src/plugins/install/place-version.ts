import { lstat, mkdir, rename, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type PluginFolders, toDataLink, toPartsDir } from "../installed/plugin-folders.ts";

type PlacedVersion = {
  key: string;
  /** A verified folder on the same disk. No other file begins with its path. */
  from: string;
  /** Name of the version's folder; sorts by time. */
  id: string;
};

/**
 * Makes a verified version the current one by one rename of a link, so that readers always see the
 * complete old version or the complete new one. Returns the folder that contains the parts.
 */
export async function placeVersion(
  folders: PluginFolders,
  { key, from, id }: PlacedVersion,
): Promise<string> {
  const target = join(folders.versionsOf(key), id);
  const version = `${from}.version`;
  await layOut(folders, { key, from, version });
  await mkdir(folders.versionsOf(key), { recursive: true, mode: 0o700 });
  await rename(version, target);
  const newLink = `${from}.link`;
  try {
    await symlink(folders.toLinkTarget(key, id), newLink, "junction");
    await replaceLink(folders, { key, newLink, id });
  } catch (failure) {
    await rm(newLink, { force: true });
    await rm(target, { recursive: true, force: true });
    throw failure;
  }
  return toPartsDir(target, key);
}

/** Moves the parts to the path from which a version-1 program finds its data, and links the data. */
async function layOut(
  folders: PluginFolders,
  { key, from, version }: { key: string; from: string; version: string },
): Promise<void> {
  const parts = toPartsDir(version, key);
  await mkdir(dirname(parts), { recursive: true, mode: 0o700 });
  await rename(from, parts);
  await mkdir(folders.homeOf(key), { recursive: true, mode: 0o700 });
  // The programs themselves are at that path; `checkKey` refuses this key if data would be lost.
  if (key === "connectors") return;
  await symlink(folders.toHomeTarget(key), toDataLink(version, key), "junction");
}

type Replacing = { key: string; newLink: string; id: string };

async function replaceLink(folders: PluginFolders, { key, newLink, id }: Replacing): Promise<void> {
  const link = folders.link(key);
  const present = await lstat(link).catch(() => null);
  // rename() replaces a link, except on Windows, and never a folder. In those cases the plugin is
  // absent for a moment.
  const isInTheWay =
    present !== null && (process.platform === "win32" || !present.isSymbolicLink());
  if (!isInTheWay) return await rename(newLink, link);
  const aside = join(folders.versionsOf(key), `0-before-${id}`);
  await rename(link, aside);
  try {
    await rename(newLink, link);
  } catch (failure) {
    await rename(aside, link);
    throw failure;
  }
}
