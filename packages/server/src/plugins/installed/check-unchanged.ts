import { isThin } from "@hub/contract/plugin-manifest.ts";
import { checkHash } from "../verify/check-hash.ts";
import { findProgram } from "../verify/find-plugin-program.ts";
import { findFileStamp } from "./file-stamp.ts";
import type { InstalledPlugin } from "./installed-plugin.ts";

/**
 * Checks before each spawn that the program is the one that was verified. Reads the program again
 * only if its file has changed. Throws `plugin_refused`.
 */
export async function checkUnchanged(plugin: InstalledPlugin): Promise<void> {
  const binaryPath = await findProgram(plugin.manifest, plugin.dir);
  const { binaryStamp } = plugin;
  // A bundle is small enough to be read each time.
  if (isThin(plugin.manifest)) return await checkHash(plugin.manifest, binaryPath);
  if (binaryStamp !== null && (await findFileStamp(binaryPath)) === binaryStamp) return;
  await checkHash(plugin.manifest, binaryPath);
}
