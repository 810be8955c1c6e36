import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import {
  access,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { HubError } from "@hub/server/errors.ts";

/** Clients keep histories in such files, but none of this size. */
const fileBytesMax = 64 * 1024 * 1024;
const linksMax = 40;
/** How often an edit is repeated because the client writes at the same time. */
const attemptsMax = 5;

export type WrittenFile = {
  /** False if the edit changed nothing. */
  isChanged: boolean;
  /** The copy of the old file, if this edit made one. */
  backup: string | null;
  /** The topmost of the folders that were made for the file, if any were. */
  madeFolder?: string;
};

type EditOptions = {
  /** The file gets a secret: only its owner may read it. */
  isSecret: boolean;
};

type Content = { bytes: Buffer; mode: number; uid: number; gid: number };

/** Returns the text of a file; null if it does not exist. */
export async function readConfigFile(file: string): Promise<string | null> {
  const content = await readContent(await findTarget(file));
  return content === null ? null : decode(content.bytes);
}

/** Returns the text of the backup; null if there is none that can be read. */
export async function readBackup(file: string): Promise<string | null> {
  return await readConfigFile(await findBackup(file)).catch(() => null);
}

/**
 * Edits a file, which may be missing (null). An edit to null deletes it. Links are followed. The
 * file keeps its mode and owner, and its first version is kept as `.bak`. The new file replaces
 * the old one at once, and only if the old one is still as it was read; otherwise the edit is
 * repeated.
 */
export async function editConfigFile(
  file: string,
  edit: (text: string | null) => string | null,
  options: EditOptions,
): Promise<WrittenFile> {
  const target = await findTarget(file);
  let made: { madeFolder?: string } = {};
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const old = await readContent(target);
    const text = old === null ? null : decode(old.bytes);
    const changed = edit(text);
    const isOpen = options.isSecret && old !== null && (old.mode & 0o077) !== 0;
    if (changed === text && !isOpen) {
      return { isChanged: false, backup: null, ...made };
    }
    const madeFolder = await checkWritable(target, old);
    if (madeFolder !== null) made = { madeFolder };
    if (await replaceFile(target, old, changed, options)) {
      const backup = old === null ? null : await findOwnBackup(target, old);
      return { isChanged: true, backup, ...made };
    }
  }
  throw new HubError(
    "conflict",
    "another program keeps changing it. Close the client and try again.",
  );
}

/** Follows links, also to a file that does not exist yet. */
async function findTarget(file: string): Promise<string> {
  let path = resolve(file);
  for (let links = 0; links < linksMax; links++) {
    const found = await lstat(path).catch(ignoreMissing);
    if (found === null || !found.isSymbolicLink()) {
      const folder = await realpath(dirname(path)).catch(ignoreMissing);
      return folder === null ? path : join(folder, basename(path));
    }
    path = resolve(dirname(path), await readlink(path));
  }
  throw new HubError("bad_request", "it is a link that leads to itself.");
}

async function findBackup(file: string): Promise<string> {
  return `${await findTarget(file)}.bak`;
}

async function readContent(target: string): Promise<Content | null> {
  // A pipe or a device could block for ever.
  const found = await stat(target).catch(ignoreMissing);
  if (found === null) return null;
  if (!found.isFile()) throw new HubError("bad_request", "it is not a file.");
  if (found.size > fileBytesMax) throw new HubError("bad_request", "it has more than 64 MiB.");
  const { mode, uid, gid } = found;
  return { bytes: await readFile(target), mode: mode & 0o7777, uid, gid };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new HubError("bad_request", "it is not UTF-8 text.");
  }
}

/** Replacing a file needs rights to its folder only. Returns the topmost folder that was made for a new file. */
async function checkWritable(target: string, old: Content | null): Promise<string | null> {
  const folder = dirname(target);
  if (old !== null) {
    if (!(await isWritable(target))) {
      throw new HubError("conflict", "it is read-only. Allow writing first.");
    }
    if (!(await isWritable(folder))) throw toFolderError(folder);
    return null;
  }
  const made = await mkdir(folder, { recursive: true }).catch((cause) => {
    throw new HubError("conflict", `the folder ${folder} cannot be created.`, { cause });
  });
  return made ?? null;
}

/** The mode counts for root too, who may write everything. */
async function isWritable(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  return (mode & 0o222) !== 0 && (await access(path, constants.W_OK).then(isTrue, isFalse));
}

const isTrue = () => true;
const isFalse = () => false;

function toFolderError(folder: string, cause?: unknown): HubError {
  return new HubError("conflict", `the folder ${folder} is read-only.`, { cause });
}

/** Returns false if another program has changed the file since it was read. */
async function replaceFile(
  target: string,
  old: Content | null,
  text: string | null,
  { isSecret }: EditOptions,
): Promise<boolean> {
  const temporary = `${target}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    if (text !== null) await writeNew(temporary, Buffer.from(text), { old, isSecret });
    if (old !== null && text !== null) await keepBackup(target, old);
    if (!isSameContent(old, await readContent(target))) return false;
    if (text === null) await rm(target);
    else await rename(temporary, target);
    await syncFolder(dirname(target));
    return true;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function writeNew(
  path: string,
  bytes: Buffer,
  { old, isSecret }: { old: Content | null; isSecret: boolean },
): Promise<void> {
  // Readable by its owner only, until it has its final mode.
  const handle = await openNew(path, old === null && !isSecret ? 0o666 : 0o600);
  try {
    await handle.writeFile(bytes);
    if (old !== null) await copyOwnership(handle, old, isSecret);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function openNew(path: string, mode: number): Promise<FileHandle> {
  try {
    return await open(path, "wx", mode);
  } catch (cause) {
    const isRefused =
      hasCode(cause, "EACCES") || hasCode(cause, "EPERM") || hasCode(cause, "EROFS");
    if (!isRefused) throw cause;
    throw toFolderError(dirname(path), cause);
  }
}

async function copyOwnership(handle: FileHandle, old: Content, isSecret: boolean): Promise<void> {
  const made = await handle.stat();
  if (made.uid !== old.uid || made.gid !== old.gid) {
    try {
      await handle.chown(old.uid, old.gid);
    } catch (cause) {
      throw new HubError("conflict", "it belongs to another user. Run the command as that user.", {
        cause,
      });
    }
  }
  await handle.chmod(isSecret ? old.mode & 0o700 : old.mode);
}

/** Keeps the first version only: later ones have the entry already. */
async function keepBackup(target: string, old: Content): Promise<void> {
  const backup = `${target}.bak`;
  if ((await lstat(backup).catch(ignoreMissing)) !== null) return;
  await writeNew(backup, old.bytes, { old, isSecret: false });
}

async function findOwnBackup(target: string, old: Content): Promise<string | null> {
  const backup = `${target}.bak`;
  const content = await readContent(backup).catch(() => null);
  return content?.bytes.equals(old.bytes) === true ? backup : null;
}

function isSameContent(old: Content | null, now: Content | null): boolean {
  if (old === null || now === null) return old === now;
  return old.bytes.equals(now.bytes);
}

/** Makes the rename durable. Windows cannot open folders. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreMissing(cause: unknown): null {
  if (hasCode(cause, "ENOENT") || hasCode(cause, "ENOTDIR")) return null;
  throw cause;
}

function hasCode(cause: unknown, code: string): boolean {
  return cause instanceof Error && "code" in cause && cause.code === code;
}
