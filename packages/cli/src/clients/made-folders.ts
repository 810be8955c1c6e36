import { createHash } from "node:crypto";
import { mkdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { findUserDataFolder } from "@hub/server/lib/files/data-folder.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Records that an installation made folders for a client's file, `topmost` and those in it, so that the uninstallation can
 * remove them.
 */
export async function recordMadeFolder(
  env: Environment,
  file: string,
  topmost: string,
): Promise<void> {
  const record = toRecordFile(env, file);
  await mkdir(dirname(record), { recursive: true, mode: 0o700 });
  await writeFile(record, `${JSON.stringify({ file, topmost })}\n`, { mode: 0o600 });
}

/** Removes the folders that the installation of a deleted file made, as far as they are empty. */
export async function removeMadeFolders(env: Environment, file: string): Promise<void> {
  const record = toRecordFile(env, file);
  const topmost = await readTopmost(record, file);
  if (topmost === null) return;
  await removeEmptyFolders(dirname(file), topmost);
  await rm(record, { force: true });
  await removeRecordFolders(env, dirname(record));
}

/**
 * Removes a folder of records and those above it that are empty: the hub's folder for user data, and the ones that the
 * platform has for all programs, but nothing outside the home folder.
 */
export async function removeRecordFolders(env: Environment, folder: string): Promise<void> {
  const home = env.HOME || env.USERPROFILE || "";
  const own = findUserDataFolder(env, "hub");
  const isInHome = home !== "" && own.startsWith(home + sep);
  const [first = ""] = isInHome ? own.slice(home.length + 1).split(sep) : [];
  await removeEmptyFolders(folder, isInHome ? join(home, first) : own);
}

/** From the folder upwards to `topmost`, as long as they are empty. */
async function removeEmptyFolders(folder: string, topmost: string): Promise<void> {
  for (
    let path = folder;
    path === topmost || path.startsWith(topmost + sep);
    path = dirname(path)
  ) {
    try {
      await rmdir(path);
    } catch {
      return;
    }
  }
}

async function readTopmost(record: string, file: string): Promise<string | null> {
  try {
    const found: Record<string, unknown> = Object(JSON.parse(await readFile(record, "utf8")));
    return found.file === file && typeof found.topmost === "string" ? found.topmost : null;
  } catch {
    return null;
  }
}

function toRecordFile(env: Environment, file: string): string {
  const name = createHash("sha256").update(file).digest("hex").slice(0, 32);
  return join(findUserDataFolder(env, "hub"), "client-folders", `${name}.json`);
}
