import { chmod, copyFile, lstat, mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { toEntryName } from "@hub/contract/plugin-manifest.ts";
import { toCosignPath } from "../verify/check-cosign.ts";
import { readManifest } from "../verify/read-manifest.ts";
import { refusePlugin } from "../verify/refuse-plugin.ts";

type Taking = {
  plugin: string;
  from: string;
  to: string;
  /** Parts of a user's folder are copied; parts that were unpacked for this are moved. */
  isOwn: boolean;
};

/**
 * Takes only the plugin's parts into a new folder: the manifest, the program and its cosign signature.
 * No signature covers other files, and a program might load files beside it.
 */
export async function takeParts({ plugin, from, to, isOwn }: Taking): Promise<void> {
  const manifest = await readManifest(plugin, from);
  const program = toEntryName(manifest);
  await mkdir(to, { mode: 0o700 });
  for (const name of ["plugin.json", program, toCosignPath(program)]) {
    const stats = await lstat(join(from, name)).catch(() => null);
    // Verification reports missing parts.
    if (stats === null) continue;
    if (!stats.isFile()) throw refuseKind(manifest.module.Meta.Key, name);
    await (isOwn ? rename : copyFile)(join(from, name), join(to, name));
    await chmod(join(to, name), name === program ? 0o700 : 0o600);
  }
}

function refuseKind(plugin: string, name: string) {
  return refusePlugin({
    plugin,
    check: "program",
    expected: "regular files",
    found: `${name}, which is a link or a folder`,
    remedy: "Replace it with the file itself.",
  });
}
