import { randomBytes } from "node:crypto";
import { type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import { retryWhileBusy } from "../sqlite/retry-while-busy.ts";
import { isBusy } from "../sqlite/sqlite-errors.ts";
import { checkOwner } from "./check-owner.ts";
import { createPrivateFile, lockFile } from "./file-lock.ts";

const keyFileSchema = z.strictObject({
  version: z.literal(1),
  /** Each 32 bytes, hex. */
  keys: z.array(z.string().regex(/^[0-9a-f]{64}$/)).min(1),
});

/** Longer than any write takes. */
const leftOverAgeMs = 60_000;
/** A rotation of many secrets takes seconds. */
const lockWaitMsMax = 60_000;

/**
 * The keys, sealing key first, or null without a key file. Refuses a file that other users can
 * read.
 */
export async function readKeyFile(dataDir: string): Promise<Uint8Array[] | null> {
  const path = keyFilePath(dataDir);
  const text = await readPrivateFile(path);
  return text === null ? null : fromKeyText(path, text);
}

/** Reads the keys. Throws `bad_configuration` if the file does not exist. */
export async function readRequiredKeyFile(dataDir: string): Promise<Uint8Array[]> {
  const keys = await readKeyFile(dataDir);
  if (keys !== null) return keys;
  throw new HubError(
    "bad_configuration",
    "The hub's key file is missing. An admin must restore it from a backup: without its keys, stored secrets cannot be opened.",
    {
      localMessage: `The key file ${keyFilePath(dataDir)} is missing. Restore it from a backup: without its keys, stored secrets cannot be opened.`,
    },
  );
}

/** Creates a key file with one random key. If another process was first, returns its keys. */
export async function createKeyFile(dataDir: string): Promise<Uint8Array[]> {
  const path = keyFilePath(dataDir);
  const keys = [new Uint8Array(randomBytes(32))];
  // Unlike a rename, a link never replaces a file: the first process to link creates it, complete.
  const made = await placeFile(path, keys, async (temporary) => {
    try {
      await link(temporary, path);
      return true;
    } catch (err) {
      if (hasCode(err, "EEXIST")) return false;
      throw err;
    }
  });
  if (made) return keys;
  const winner = await readKeyFile(dataDir);
  if (winner === null)
    throw new Error(`The key file ${path} disappeared right after it was created.`);
  return winner;
}

/**
 * Replaces the keys in one step: a crash leaves the old file or the new one. `beforePlaced` runs when
 * the new file is on disk beside the old one, so that little can fail after it. If it throws, the old
 * file stays.
 */
export async function writeKeyFile(
  dataDir: string,
  keys: readonly Uint8Array[],
  beforePlaced: () => Promise<void> = async () => {},
): Promise<void> {
  const path = keyFilePath(dataDir);
  // Refuses a file that other users can read: replacing it would hide the problem from the admin.
  await readPrivateFile(path);
  const failed = await placeFile(path, keys, async (temporary) => {
    try {
      await beforePlaced();
    } catch (failure) {
      // Not a failure of the file.
      return { failure };
    }
    await rename(temporary, path);
    return null;
  });
  await removeLeftOvers(path);
  if (failed !== null) throw failed.failure;
}

/** Runs `work` while no other process changes the key file. */
export async function lockKeyFile<T>(dataDir: string, work: () => Promise<T>): Promise<T> {
  // A separate file, because the key file is replaced by each change. It stays: removing it would
  // let one process lock the removed file and another one lock a new file.
  const path = join(dataDir, "keys.lock");
  const lock = await retryWhileBusy(lockWaitMsMax, () => {
    createPrivateFile(path);
    return lockFile(path);
  }).catch((err) => {
    throw isBusy(err)
      ? new HubError("conflict", "Another process is changing the keys. Try again in a moment.")
      : toUnusable(path, err);
  });
  try {
    return await work();
  } finally {
    lock.close(true);
  }
}

/** Removes the files of killed writes, which may hold keys that were removed since. */
async function removeLeftOvers(path: string): Promise<void> {
  const folder = dirname(path);
  const beginning = `${basename(path)}.`;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(beginning) || !name.endsWith(".tmp")) continue;
    const leftOver = join(folder, name);
    // A younger one may be another process's first key file, which is about to be placed.
    const ageMs = await stat(leftOver).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (ageMs > leftOverAgeMs) await rm(leftOver, { force: true });
  }
}

function keyFilePath(dataDir: string): string {
  return join(dataDir, "keys.json");
}

/** Null if the file does not exist. */
async function readPrivateFile(path: string): Promise<string | null> {
  let file: FileHandle;
  checkOwner(path);
  try {
    file = await open(path, "r");
  } catch (err) {
    if (hasCode(err, "ENOENT")) return null;
    throw toUnusable(path, err);
  }
  try {
    const { mode } = await file.stat();
    if (process.platform !== "win32" && (mode & 0o077) !== 0) {
      throw new HubError(
        "bad_configuration",
        "Other users of the hub's machine can open its key file. An admin must set its mode to 600. If another user may have read it, also run: hub keys rotate",
        {
          localMessage: `Other users of this machine can open the key file. Run: chmod 600 '${path}'. If another user may have read it, also run: hub keys rotate`,
        },
      );
    }
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

function fromKeyText(path: string, text: string): Uint8Array[] {
  try {
    return keyFileSchema.parse(JSON.parse(text)).keys.map((hex) => Uint8Array.fromHex(hex));
  } catch {
    // Without the cause, because a parser's message quotes its input, which contains keys.
    throw new HubError(
      "bad_configuration",
      "The hub's key file is damaged. An admin must restore it from a backup: without its keys, stored secrets cannot be opened.",
      {
        localMessage: `The key file ${path} is damaged. Restore it from a backup: without its keys, stored secrets cannot be opened.`,
      },
    );
  }
}

/**
 * Writes the keys to a temporary file, which `place` moves to `path`. All is on disk when it
 * returns.
 */
async function placeFile<T>(
  path: string,
  keys: readonly Uint8Array[],
  place: (temporary: string) => Promise<T>,
): Promise<T> {
  const text = toKeyText(keys);
  const folder = dirname(path);
  const temporary = `${path}.${crypto.randomUUID()}.tmp`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    try {
      await writeNewFile(temporary, text);
      const placed = await place(temporary);
      await syncFolder(folder);
      return placed;
    } finally {
      await rm(temporary, { force: true });
    }
  } catch (err) {
    throw toUnusable(path, err);
  }
}

function toKeyText(keys: readonly Uint8Array[]): string {
  const text = { version: 1, keys: keys.map((key) => key.toHex()) };
  return `${JSON.stringify(keyFileSchema.parse(text), null, 2)}\n`;
}

async function writeNewFile(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/**
 * A new file survives a crash only if its folder is on disk too. Windows does this without a call.
 */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  await folder.sync().finally(() => folder.close());
}

function toUnusable(path: string, err: unknown): HubError {
  const reason = err instanceof Error ? err.message : String(err);
  return new HubError(
    "bad_configuration",
    "The hub's key file cannot be used. An admin must check the owner and mode of its folder, or provide the keys in HUB_ENC_KEY.",
    {
      cause: err,
      localMessage: `The key file ${path} cannot be used: ${reason}. Check the owner and mode of its folder, or provide the keys in HUB_ENC_KEY.`,
    },
  );
}

function hasCode(err: unknown, code: string): boolean {
  return err instanceof Error && "code" in err && err.code === code;
}
