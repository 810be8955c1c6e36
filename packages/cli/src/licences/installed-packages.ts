import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { findPackage } from "../project/hub-package.ts";

const dependenciesSchema = z.record(z.string(), z.string()).optional();
const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.unknown(),
  dependencies: dependenciesSchema,
  optionalDependencies: dependenciesSchema,
  peerDependencies: dependenciesSchema,
});

export type InstalledPackage = { folder: string; name: string; version: string; licence: string };

/** `missing` has the names of packages that should be installed and are not, with the package that needs them. */
export type InstalledPackages = { packages: InstalledPackage[]; missing: string[] };

/**
 * Finds the packages that some packages need, as imports find them in `node_modules`, and those that these need. The hub's own
 * packages are followed and not listed. Neither is Bun, which is a program with libraries of its own.
 */
export function findInstalledPackages(roots: readonly string[]): InstalledPackages {
  const waiting = [...roots];
  const seen = new Set(waiting);
  const packages: InstalledPackage[] = [];
  const missing: string[] = [];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const manifest = readManifest(folder);
    const { name, version, license, dependencies = {} } = manifest;
    const licence = typeof license === "string" ? license : "not stated";
    if (!name.startsWith("@hub/")) packages.push({ folder, name, version, licence });
    const { optionalDependencies = {}, peerDependencies = {} } = manifest;
    for (const needed of Object.keys({
      ...dependencies,
      ...optionalDependencies,
      ...peerDependencies,
    })) {
      const found = needed === "bun" ? null : findPackage(needed, folder);
      const isRequired = needed in dependencies && !(needed in optionalDependencies);
      if (found === null && needed !== "bun" && isRequired) missing.push(`${needed} (of ${name})`);
      if (found === null || seen.has(found)) continue;
      seen.add(found);
      waiting.push(found);
    }
  }
  return { packages, missing };
}

function readManifest(folder: string) {
  return manifestSchema.parse(JSON.parse(readFileSync(join(folder, "package.json"), "utf8")));
}
