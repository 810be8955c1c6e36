import { createReadStream, createWriteStream } from "node:fs";
import { lstat, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { type Pack, pack } from "tar-stream";
import { toCosignPath } from "../verify/check-cosign.ts";
import { hashFile } from "../verify/check-hash.ts";
import type { VerifiedPlugin } from "../verify/verify-plugin.ts";

export type PackedParts = { path: string; bytes: number; sha256: string };

/**
 * Writes the parts of a verified plugin to a .tar.gz file: the manifest, the program and its cosign
 * signature. The same parts make the same bytes.
 */
export async function packParts(
  { dir, binaryPath }: Pick<VerifiedPlugin, "dir" | "binaryPath">,
  path: string,
): Promise<PackedParts> {
  const archive = pack();
  const writing = pipeline(archive, createGzip(), createWriteStream(path, { mode: 0o600 }));
  // Awaited below; a part may fail first.
  writing.catch(() => {});
  try {
    for (const part of [join(dir, "plugin.json"), binaryPath, toCosignPath(binaryPath)]) {
      if ((await lstat(part).catch(() => null))?.isFile()) await packPart(archive, part);
    }
    archive.finalize();
  } catch (failure) {
    archive.destroy();
    throw failure;
  }
  await writing;
  return { path, bytes: (await stat(path)).size, sha256: await hashFile(path) };
}

async function packPart(archive: Pack, part: string): Promise<void> {
  const { size } = await stat(part);
  const entry = archive.entry({ name: basename(part), size, mode: 0o600, mtime: new Date(0) });
  await pipeline(createReadStream(part), entry);
}
