/**
 * Checks the licences of the packages that ship: each is in `node_modules` with its text, or has an entry in
 * `packages/cli/src/licences/texts-elsewhere.ts`; each licence is a permissive one; and the list has every package that the lock
 * file has for production. `npm run build` checks the same.
 */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { findInstalledPackages } from "../packages/cli/src/licences/installed-packages.ts";
import { findHubPackages } from "../packages/cli/src/licences/read-licences.ts";
import { runtimeVersion } from "../packages/cli/src/licences/runtime-parts.ts";
import { findLicenceFaults } from "./licences/find-faults.ts";

const root = resolve(import.meta.dirname, "..");

type Locked = { version?: string; dev?: boolean; link?: boolean; peer?: boolean };
type LockFile = { packages: Record<string, Locked> };

/** Lists what is wrong, one sentence each. */
export async function findAllLicenceFaults(folder = root): Promise<string[]> {
  const installed = findInstalledPackages(findHubPackages(join(folder, "packages", "server")));
  const lock: LockFile = await Bun.file(join(folder, "package-lock.json")).json();
  const listed = new Set(installed.packages.map(({ name, version }) => `${name} ${version}`));
  const faults = await findLicenceFaults(installed);
  for (const name of listProduction(lock, (place) => existsSync(join(folder, place)))) {
    if (!listed.has(name)) faults.push(`${name} is in the lock file and not in the list.`);
  }
  const bun = lock.packages["node_modules/bun"]?.version;
  if (bun !== runtimeVersion) {
    faults.push(
      `The licences are those of Bun ${runtimeVersion}, and ${bun} is installed. Copy docs/project/license.mdx of bun-types to packages/cli/licences, and compare its libraries with runtime-parts.ts.`,
    );
  }
  return faults;
}

/**
 * The packages for production with their versions, without the hub's own, without Bun, and without optional packages that are
 * not installed.
 * @internal
 */
export function listProduction(
  { packages }: LockFile,
  isInstalled: (place: string) => boolean,
): string[] {
  return Object.entries(packages).flatMap(([place, { version, dev, link, peer }]) => {
    if (peer === true && !isInstalled(place)) return [];
    const name = place.split("node_modules/").at(-1) ?? "";
    const isBun = name === "bun" || name.startsWith("@oven/bun-");
    const isShipped = place.includes("node_modules/") && dev !== true && link !== true && !isBun;
    return isShipped ? [`${name} ${version}`] : [];
  });
}

if (import.meta.main) {
  const faults = await findAllLicenceFaults();
  for (const fault of faults) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
