import { once } from "node:events";
import { type Entry, openPromise, type ZipFile } from "yauzl";
import { refuseArchive, type UnpackBudget } from "./unpack-budget.ts";
import { writeMember } from "./write-member.ts";

type Archive = { plugin: string; path: string; target: string };

/** Unpacks a zip file into a folder, member by member, within the budget. */
export async function unpackZip(budget: UnpackBudget, archive: Archive): Promise<void> {
  const zip = await openPromise(archive.path, {
    lazyEntries: true,
    autoClose: false,
    strictFileNames: true,
  });
  try {
    for await (const entry of zip.eachEntry()) await unpackEntry(budget, archive, { zip, entry });
  } finally {
    if (zip.isOpen) {
      zip.close();
      await once(zip, "close");
    }
  }
}

type Opened = { zip: ZipFile; entry: Entry };

async function unpackEntry(
  budget: UnpackBudget,
  { plugin, target }: Archive,
  { zip, entry }: Opened,
): Promise<void> {
  const path = entry.fileName;
  budget.takeMember(path, entry.uncompressedSize);
  checkKind(plugin, entry);
  if (path.endsWith("/")) return;
  if (entry.isEncrypted()) throw refuseArchive(plugin, "readable members", `${path}, encrypted`);
  // The reader enforces the size that the archive states.
  const content = await zip.openReadStreamPromise(entry);
  await writeMember(budget, { plugin, path, content, target });
}

/** Attack: a member that is a link would redirect the next member to a path outside the folder. */
function checkKind(plugin: string, entry: Entry): void {
  const kind = (entry.externalFileAttributes >>> 16) & 0o170000;
  // Archives made on Windows have no file type.
  if (kind === 0 || kind === 0o100000 || kind === 0o040000) return;
  const name = kind === 0o120000 ? "a symbolic link" : "a special file";
  throw refuseArchive(plugin, "regular files", `${entry.fileName}, ${name}`);
}
