import type { KeyObject } from "node:crypto";
import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import { type FileStamp, findStableStamp } from "../installed/file-stamp.ts";
import type { ProgramRecords } from "../installed/program-records.ts";
import { checkCosign, findCosignMark } from "./check-cosign.ts";
import { checkHash } from "./check-hash.ts";

type CheckDeps = {
  cosignKey: KeyObject | null;
  /** Null always reads the program. */
  records: ProgramRecords | null;
};

/**
 * Checks the program's hash and cosign signature. Skips reading it if a recorded verification read
 * the same file and the file has not changed since. Returns the stamp of the verified file; null if
 * the file has just changed, so that a further change might not be noticed.
 */
export async function checkProgram(
  { cosignKey, records }: CheckDeps,
  manifest: PluginManifest,
  binaryPath: string,
): Promise<FileStamp | null> {
  const { Key: key } = manifest.module.Meta;
  // Taken before the file is read, so that a change in the meantime is noticed at spawn.
  const stamp = await findStableStamp(binaryPath, Date.now());
  const cosign = await findCosignMark(cosignKey, binaryPath);
  const wanted = stamp === null ? null : { stamp, sha256: manifest.sha256, cosign };
  if (wanted !== null && Bun.deepEquals(await records?.find(key), wanted)) return stamp;
  await checkHash(manifest, binaryPath);
  await checkCosign(cosignKey, manifest, binaryPath);
  if (wanted !== null) await records?.put(key, wanted);
  return stamp;
}
