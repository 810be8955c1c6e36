import { mkdir, open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { toBytesText } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { toSafeReason } from "../../lib/text/safe-reason.ts";
import { isFullDisk } from "./full-disk.ts";
import type { InstallLimits } from "./install-limits.ts";
import { createUnpackBudget, refuseArchive } from "./unpack-budget.ts";
import { unpackTar } from "./unpack-tar.ts";
import { unpackZip } from "./unpack-zip.ts";

type Archive = { plugin: string; path: string; target: string };

/**
 * Unpacks a .zip or .tar.gz file, recognised by its first bytes, into a new folder. Returns the folder
 * with plugin.json: the target itself or its only subfolder.
 */
export async function unpackArchive(limits: InstallLimits, archive: Archive): Promise<string> {
  const { plugin, path, target } = archive;
  const { size } = await stat(path);
  if (size > limits.archiveBytesMax) {
    throw refuseArchive(plugin, `at most ${toBytesText(limits.archiveBytesMax)}`, `${size}`);
  }
  await mkdir(target, { mode: 0o700 });
  const budget = createUnpackBudget(plugin, limits, size);
  const unpack = await findFormat(plugin, path);
  try {
    await unpack(budget, archive);
  } catch (thrown) {
    if (thrown instanceof HubError || isFullDisk(thrown)) throw thrown;
    const found = toSafeReason(thrown).replace(/\.$/, "");
    throw refuseArchive(plugin, "a complete archive", found, thrown);
  }
  return findPluginFolder(target);
}

async function findFormat(plugin: string, path: string) {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    const start = buffer.subarray(0, bytesRead).toString("latin1");
    if (start.startsWith("PK")) return unpackZip;
    if (start.startsWith("\x1f\x8b")) return unpackTar;
  } finally {
    await file.close();
  }
  throw refuseArchive(plugin, "a .zip or .tar.gz file", "a file of another type");
}

async function findPluginFolder(target: string): Promise<string> {
  const entries = await readdir(target, { withFileTypes: true });
  const [first] = entries;
  const isWrapped = entries.length === 1 && first?.isDirectory() === true;
  return isWrapped ? join(target, first.name) : target;
}
