import { lstat, mkdir, rename, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type PluginFolders, toDataLink, toPartsDir } from "../plugin-folders.ts";

type Placing = {
  key: string;
  /** A verified folder on the same disk; what its name goes on with is free. */
  from: string;
  /** Names the version's folder; sorts by time. */
  id: string;
};

/**
 * Puts a verified version in place of whatever was there. What counts changes by one rename of a link,
 * so that every reader finds the old version whole or the new one whole. Returns the folder that holds
 * the parts.
 */
export async function placeVersion(
  folders: PluginFolders,
  { key, from, id }: Placing,
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

/** Brings the parts to where a program of version 1 finds its data from, with the link to it. */
async function layOut(
  folders: PluginFolders,
  { key, from, version }: { key: string; from: string; version: string },
): Promise<void> {
  const parts = toPartsDir(version, key);
  await mkdir(dirname(parts), { recursive: true, mode: 0o700 });
  await rename(from, parts);
  await mkdir(folders.homeOf(key), { recursive: true, mode: 0o700 });
  // Its own programs lie in that place; `checkKey` refuses such a key where data would be lost.
  if (key === "connectors") return;
  await symlink(folders.toHomeTarget(key), toDataLink(version, key), "junction");
}

type Replacing = { key: string; newLink: string; id: string };

async function replaceLink(folders: PluginFolders, { key, newLink, id }: Replacing): Promise<void> {
  const link = folders.link(key);
  const present = await lstat(link).catch(() => null);
  // A link gives way to a rename, but not on Windows; a folder put there by hand never does. Such a
  // one is gone for a moment, which is bearable; a mixture would not be.
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
