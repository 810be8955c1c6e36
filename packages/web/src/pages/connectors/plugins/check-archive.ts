import { pluginArchiveBytesMax } from "@hub/contract/plugin-limits.ts";
import { formatBytes } from "../../../ui/text/format.ts";

/** What is wrong with files that should be one archive of a plugin; null if nothing is. */
export function findArchiveFault(
  files: ReadonlyArray<{ name: string; size: number }>,
): string | null {
  const [file, ...others] = files;
  if (file === undefined) return "Choose a file. A folder cannot be installed.";
  if (others.length > 0) return "Install one archive at a time.";
  if (!/\.(zip|tar\.gz|tgz)$/i.test(file.name)) return "Choose a .zip or .tar.gz file.";
  if (file.size <= pluginArchiveBytesMax) return null;
  return `The file is larger than ${formatBytes(pluginArchiveBytesMax)}.`;
}
