import type { KeyObject } from "node:crypto";
import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import { type FileStamp, findSettledStamp } from "../file-stamp.ts";
import type { ProgramRecords } from "../program-records.ts";
import { checkCosign, findCosignMark } from "./check-cosign.ts";
import { checkHash, hashFile } from "./check-hash.ts";

type CheckDeps = {
  cosignKey: KeyObject | null;
  /** Null reads the program whatever was seen before. */
  records: ProgramRecords | null;
};

/**
 * The program is the one that the manifest was made for and that cosign's key signed. Reads it,
 * unless a verification on record read this very file, and it has not changed since. Returns the
 * stamp of what was verified; null where it cannot tell a change from none.
 */
export async function checkProgram(
  { cosignKey, records }: CheckDeps,
  manifest: PluginManifest,
  binaryPath: string,
): Promise<FileStamp | null> {
  const { Key: key } = manifest.module.Meta;
  // Taken before the file is read: one that changes in the meantime has another stamp at spawn.
  const stamp = await findSettledStamp(binaryPath, Date.now());
  const cosign = await findCosignMark(cosignKey, binaryPath);
  const wanted = stamp === null ? null : { stamp, sha256: manifest.sha256, cosign };
  if (wanted !== null && Bun.deepEquals(await records?.find(key), wanted)) return stamp;
  checkHash(manifest, await hashFile(binaryPath));
  await checkCosign(cosignKey, manifest, binaryPath);
  if (wanted !== null) await records?.put(key, wanted);
  return stamp;
}
