import { createReadStream } from "node:fs";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract, type Header } from "tar-stream";
import { refuseArchive, type UnpackBudget } from "./unpack-budget.ts";
import { writeMember } from "./write-member.ts";

type Archive = { plugin: string; path: string; target: string };

/** The reader keeps headers in memory. Those with long names have a few kilobytes. */
const headerBytesMax = 1024 * 1024;

/** Unpacks a .tar.gz file into a folder, member by member, within the budget. */
export async function unpackTar(budget: UnpackBudget, archive: Archive): Promise<void> {
  const { plugin, target } = archive;
  const reader = extract();
  let headerBytes = 0;
  let isInMember = false;
  // Attack: a header of gigabytes would be collected in memory.
  const watch = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      if (!isInMember) headerBytes += chunk.byteLength;
      const isTooMuch = headerBytes > headerBytesMax;
      done(isTooMuch ? refuseArchive(plugin, "members", "endless headers") : null, chunk);
    },
  });
  const feeding = pipeline(createReadStream(archive.path), createGunzip(), watch, reader);
  // Awaited below; the loop may fail first.
  feeding.catch(() => {});
  for await (const entry of reader) {
    isInMember = true;
    const { name, size = 0 } = entry.header;
    const path = name.replace(/^\.\//, "");
    if (path !== "" && path !== ".") {
      budget.takeMember(path, size);
      checkKind(plugin, entry.header);
      if (entry.header.type === "file" || entry.header.type === "contiguous-file") {
        await writeMember(budget, { plugin, path, content: Readable.from(entry), target });
      }
    }
    entry.resume();
    headerBytes = 0;
    isInMember = false;
  }
  await feeding;
}

/** Attack: a member that is a link would redirect the next member to a path outside the folder. */
function checkKind(plugin: string, { name, type }: Header): void {
  if (type === "file" || type === "contiguous-file" || type === "directory") return;
  const kind = type === "link" ? "a hard link" : `a ${type ?? "member of unknown type"}`;
  throw refuseArchive(plugin, "regular files", `${name}, ${kind}`);
}
