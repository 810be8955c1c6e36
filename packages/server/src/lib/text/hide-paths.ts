import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Removes paths of the hub's folders from a text. */
export type HidePaths = (text: string) => string;

/** Name prefix of the folders for sockets and temporary files of plugins. */
export const runtimePrefix = "hubp-";

/** Matches the rest of a path in a text. */
const rest = "[^\\s\"'`,;)\\]}]*";

/**
 * For failures of plugins: their messages may contain paths of the hub's machine, which clients must
 * not see.
 */
export function createHidePaths(folders: readonly string[]): HidePaths {
  const known = folders
    .flatMap((folder) => [folder, findRealPath(folder)])
    // A root folder would match every path.
    .filter((folder) => folder !== dirname(folder));
  const runtime = ["/tmp", tmpdir(), findRealPath(tmpdir())].map((tmp) => join(tmp, runtimePrefix));
  const places = [...new Set([...known, ...runtime])].sort((a, b) => b.length - a.length);
  const path = new RegExp(`(?:unix:)?(?:${places.map(RegExp.escape).join("|")})${rest}`, "g");
  // Most texts have no slash.
  return (text) => (/[/\\]/.test(text) ? text.replace(path, "(a path of the hub)") : text);
}

function findRealPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
