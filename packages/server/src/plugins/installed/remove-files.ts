import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { PluginFolders } from "./plugin-folders.ts";

type Removing = { key: string; id: string; withData?: boolean };

/** Removes a plugin from the folder, and the data of its program if `withData`. */
export async function removeFiles(
  folders: PluginFolders,
  { key, id, withData = false }: Removing,
): Promise<void> {
  const trash = join(folders.staging, id);
  await mkdir(trash, { recursive: true, mode: 0o700 });
  try {
    // Renames take effect at once; deleting takes longer.
    await moveIfThere(folders.link(key), join(trash, "link"));
    await moveIfThere(folders.versionsOf(key), join(trash, "versions"));
    if (withData) await moveIfThere(folders.homeOf(key), join(trash, "home"));
  } finally {
    await rm(trash, { recursive: true, force: true });
  }
}

async function moveIfThere(from: string, to: string): Promise<void> {
  await rename(from, to).catch((err) => {
    if (err.code !== "ENOENT") throw err;
  });
}
