import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Takes paths of the hub's own folders out of a text. */
export type HidePaths = (text: string) => string;

/** How the folders for sockets and temporary files of plugins begin, wherever they lie. */
export const runtimePrefix = "hubp-";

/** Ends a path in running text. */
const rest = "[^\\s\"'`,;)\\]}]*";

/**
 * For what plugins and the programs in them say of their failures: their words may name files of the
 * hub's machine, which are not for clients to know.
 */
export function createHidePaths(folders: readonly string[]): HidePaths {
  const known = folders
    .flatMap((folder) => [folder, findRealPath(folder)])
    // Of a root folder, every path would be one.
    .filter((folder) => folder !== dirname(folder));
  const runtime = ["/tmp", tmpdir(), findRealPath(tmpdir())].map((tmp) => join(tmp, runtimePrefix));
  const places = [...new Set([...known, ...runtime])].sort((a, b) => b.length - a.length);
  const path = new RegExp(`(?:unix:)?(?:${places.map(RegExp.escape).join("|")})${rest}`, "g");
  // Most texts have no slash; the rest of the work is linear in the text.
  return (text) => (/[/\\]/.test(text) ? text.replace(path, "(a path of the hub)") : text);
}

function findRealPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}
