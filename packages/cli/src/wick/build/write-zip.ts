import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { ZipFile } from "yazl";

export type ZipMember = { name: string; isProgram: boolean } & (
  | { path: string }
  | { content: string }
);

/** Writes a reproducible archive: the same members give the same bytes. */
export async function writeZip(
  path: string,
  members: readonly ZipMember[],
  { compress = true } = {},
): Promise<void> {
  const zip = new ZipFile();
  const failed = once(zip, "error").then(([failure]) => Promise.reject(failure));
  for (const member of members) {
    const options = {
      mtime: new Date(1980, 0, 1),
      // The other timestamp format is in UTC and would reveal the builder's time zone.
      forceDosTimestamp: true,
      compress,
      mode: member.isProgram ? 0o100755 : 0o100644,
    };
    if ("path" in member) zip.addFile(member.path, member.name, options);
    else zip.addBuffer(Buffer.from(member.content), member.name, options);
  }
  zip.end();
  await Promise.race([pipeline(zip.outputStream, createWriteStream(path)), failed]);
}
