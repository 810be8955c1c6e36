import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { toLicenceText } from "../../packages/cli/src/licences/licence-list.ts";
import {
  licencesFile,
  listInstalledLicences,
} from "../../packages/cli/src/licences/read-licences.ts";
import { findAllLicenceFaults } from "../check-licences.ts";

/**
 * Writes the licences of everything in the program into a folder, which the program has in it, and returns them as a
 * document. Throws if one is missing.
 */
export async function writeLicences(root: string, folder: string): Promise<string> {
  const faults = await findAllLicenceFaults(root);
  if (faults.length > 0) throw new Error(faults.join("\n"));
  const list = await listInstalledLicences(join(root, "packages", "server"));
  const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
  const bytes = brotliCompressSync(JSON.stringify(list), { params });
  await Bun.write(join(folder, `${licencesFile}.br`), bytes);
  return toLicenceText(list);
}
