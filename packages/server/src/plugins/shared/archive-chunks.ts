import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import {
  findPluginChunk,
  type PluginBuild,
  putPluginChunk,
} from "../../store/plugins/plugin-installs.ts";

/** One chunk is in memory at a time, and one statement is short even on a slow network. */
const chunkBytes = 1024 * 1024;

type Storing = { path: string; buildId: string; now: () => number };

/** Stores a file in chunks; returns their number. They count once their build is stored. */
export async function storeChunks(db: Db, { path, buildId, now }: Storing): Promise<number> {
  const file = await open(path);
  try {
    for (let position = 0; ; position += 1) {
      const { buffer, bytesRead } = await file.read(
        Buffer.alloc(chunkBytes),
        0,
        chunkBytes,
        position * chunkBytes,
      );
      if (bytesRead === 0) return position;
      const bytes = buffer.subarray(0, bytesRead);
      await putPluginChunk(db, { buildId, position, bytes, at: now() });
    }
  } finally {
    await file.close();
  }
}

type Fetching = { key: string; build: PluginBuild; path: string; signal: AbortSignal };

/** Writes the archive of a build to a new file. Throws if it is not the one that was stored. */
export async function fetchChunks(db: Db, { key, build, path, signal }: Fetching): Promise<void> {
  const hash = createHash("sha256");
  let bytesRead = 0;
  const file = await open(path, "wx", 0o600);
  try {
    for (let position = 0; position < build.chunks; position += 1) {
      signal.throwIfAborted();
      const bytes = await findPluginChunk(db, { buildId: build.id, position });
      if (bytes === null) throw refuseArchive(key, "a part of it is missing");
      bytesRead += bytes.byteLength;
      if (bytesRead > build.archiveBytes) throw refuseArchive(key, "it is too long");
      hash.update(bytes);
      await file.write(bytes);
    }
  } finally {
    await file.close();
  }
  if (bytesRead !== build.archiveBytes || hash.digest("hex") !== build.archiveSha256) {
    throw refuseArchive(key, "it is damaged");
  }
}

function refuseArchive(key: string, fault: string): HubError {
  return new HubError(
    "upstream_error",
    `The archive of ${key} in the database cannot be used: ${fault}. If this stays, install the plugin again.`,
  );
}
