import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type Pack, pack } from "tar-stream";
import { type BackupManifest, members, rotationMember } from "./backup-manifest.ts";
import { createHashStream } from "./hash-stream.ts";

type Contents = {
  databasePath: string;
  /** The hub for which rotation makes it; null for a backup that stays. */
  rotatedFor: string | null;
  /** The encrypted keys, as JSON. */
  keys: object | null;
  about: Omit<BackupManifest, "format" | "version" | "database" | "keys">;
};

/** Writes a .tar.gz file (0600) that does not exist yet, and puts it on disk. */
export async function writeArchive(path: string, contents: Contents): Promise<BackupManifest> {
  const archive = pack();
  const file = createWriteStream(path, { mode: 0o600, flags: "wx", flush: true });
  // The fastest level: a large database would keep a core busy for minutes.
  const writing = pipeline(archive, createGzip({ level: 1 }), file);
  // Awaited below; a member may fail first.
  writing.catch(() => {});
  try {
    if (contents.rotatedFor !== null) {
      packText(archive, rotationMember, { format: "hub-backup", hub_id: contents.rotatedFor });
    }
    const database = await packDatabase(archive, contents.databasePath);
    const keys = contents.keys === null ? null : packText(archive, members.keys, contents.keys);
    const manifest = {
      format: "hub-backup" as const,
      version: 1 as const,
      ...contents.about,
      database,
      keys,
    };
    packText(archive, members.manifest, manifest);
    archive.finalize();
    await writing;
    return manifest;
  } catch (failure) {
    archive.destroy();
    // The failure of the file, such as a full disk, is the cause of what the member says.
    await writing;
    throw failure;
  }
}

async function packDatabase(archive: Pack, path: string): Promise<BackupManifest["database"]> {
  const { size: bytes } = await stat(path);
  const entry = archive.entry({ name: members.database, size: bytes, mode: 0o600 });
  const hash = createHashStream();
  await pipeline(createReadStream(path), hash.stream, entry);
  return { bytes, sha256: hash.digest() };
}

function packText(archive: Pack, name: string, value: unknown): { sha256: string } {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  archive.entry({ name, mode: 0o600 }, text);
  return { sha256: createHash("sha256").update(text).digest("hex") };
}
