import { open } from "node:fs/promises";
import { toBytesText } from "@hub/connector";
import type { UploadedArchive } from "./find-install-source.ts";
import type { InstallLimits } from "./install-limits.ts";
import { refuseArchive } from "./unpack-budget.ts";

/** Writes an archive to a new file while it arrives. Throws `plugin_refused` if it is too large. */
export async function receiveArchive(
  { archiveBytesMax }: Pick<InstallLimits, "archiveBytesMax">,
  { name, chunks }: UploadedArchive,
  path: string,
): Promise<void> {
  const file = await open(path, "wx", 0o600);
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      if (bytes > archiveBytesMax) {
        throw refuseArchive(name, `at most ${toBytesText(archiveBytesMax)}`, "more");
      }
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
}
