import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** The folder of the server package that the project in this folder uses. Throws without one. */
export function findServerPackage(root: string): string {
  const cli = findPackage("@hub/cli", root);
  const server = cli === null ? null : findPackage("@hub/server", cli);
  if (server !== null) return server;
  throw new Error(`${root} does not have the package @hub/cli. Run "npm install" there.`);
}

/** The checkout of the hub that contains the server package of a project, or null. */
export function findHubCheckout(root: string): string | null {
  const checkout = join(findServerPackage(root), "..", "..");
  return existsSync(join(checkout, "VERSION")) ? checkout : null;
}

/** The real path of a package, found in `node_modules` as imports are; null if it is not installed. */
export function findPackage(name: string, start: string): string | null {
  for (let folder = start; ; folder = dirname(folder)) {
    const path = join(folder, "node_modules", name);
    if (existsSync(path)) return realpathSync(path);
    if (dirname(folder) === folder) return null;
  }
}
