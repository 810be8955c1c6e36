import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract } from "tar-stream";
import { HubError } from "../../errors.ts";
import { type BackupManifest, manifestSchema, members } from "./backup-manifest.ts";
import { createHashStream } from "./hash-stream.ts";

/** Far more than a manifest or the keys have. */
const textBytesMax = 4 * 1024 ** 2;

/** `keys` is the JSON that was written; null if the backup has none. */
type Contents = { manifest: BackupManifest; keys: unknown };

/**
 * Unpacks the database of a backup to a new file (0600), and reads the rest. Throws `bad_request` if the
 * file is not a backup, ends too early or was altered.
 */
export async function readArchive(path: string, databaseTarget: string): Promise<Contents> {
  const parts = await unpack(path, databaseTarget);
  const text = parts.texts.get(members.manifest);
  if (text === undefined) throw refuse("It ends before its manifest.");
  const manifest = manifestSchema.safeParse(toJson(text));
  if (!manifest.success) {
    throw refuse("Its manifest is of another form. A newer version of the hub may have made it.");
  }
  const { database, keys } = manifest.data;
  if (parts.databaseSha256 !== database.sha256) throw refuse("Its database was altered.");
  if (keys === null) return { manifest: manifest.data, keys: null };
  const keysText = parts.texts.get(members.keys) ?? "";
  if (toSha256(keysText) !== keys.sha256) throw refuse("Its keys were altered.");
  return { manifest: manifest.data, keys: toJson(keysText) };
}

type Parts = { texts: Map<string, string>; databaseSha256: string | null };

async function unpack(path: string, databaseTarget: string): Promise<Parts> {
  const parts: Parts = { texts: new Map(), databaseSha256: null };
  const reader = extract();
  const feeding = pipeline(createReadStream(path), createGunzip(), reader);
  // Awaited below; the loop may fail first.
  feeding.catch(() => {});
  try {
    for await (const entry of reader) {
      const { name, size = 0 } = entry.header;
      if (name === members.database && parts.databaseSha256 === null) {
        parts.databaseSha256 = await unpackDatabase(Readable.from(entry), databaseTarget);
      } else if (size <= textBytesMax) {
        parts.texts.set(name, await readText(Readable.from(entry)));
      } else {
        throw refuse("It has a member that does not belong to a backup.");
      }
    }
    await feeding;
  } catch (err) {
    // A full disk is not a fault of the backup.
    if (err instanceof HubError || isSystemError(err)) throw err;
    throw refuse("It ends too early or is damaged.", err);
  }
  return parts;
}

async function unpackDatabase(content: Readable, target: string): Promise<string> {
  const hash = createHashStream();
  const file = createWriteStream(target, { mode: 0o600, flags: "wx", flush: true });
  await pipeline(content, hash.stream, file);
  return hash.digest();
}

async function readText(content: Readable): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of content) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function toJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const toSha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** An error of a file or a disk. Errors of zlib have codes too, but no system call. */
function isSystemError(err: unknown): boolean {
  return err instanceof Error && "syscall" in err;
}

function refuse(reason: string, cause?: unknown): HubError {
  return new HubError(
    "bad_request",
    `This file is not a complete backup. ${reason} Nothing was restored: take another backup.`,
    { cause },
  );
}
