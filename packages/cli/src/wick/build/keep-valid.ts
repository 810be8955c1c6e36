import { dirname, resolve } from "node:path";
import {
  type Catalog,
  type CatalogEntry,
  catalogEntrySchema,
} from "@hub/contract/plugin-catalog.ts";
import { thinPlatform } from "@hub/contract/plugin-manifest.ts";
import { hashFile } from "@hub/server/plugins/verify/check-hash.ts";
import { z } from "zod";

/**
 * Compares a new catalog with the one that it replaces. An archive of the same version stays in the catalog if it is a file
 * that still has the hash of the catalog before. What is dropped is said, so that no platform disappears unnoticed.
 */
export async function keepValid(
  path: string,
  found: Catalog,
): Promise<{ catalog: Catalog; notes: string[] }> {
  const before = await readCatalogBefore(path);
  const notes: string[] = [];
  const catalog = [...found];
  for (const old of before) {
    const at = catalog.findIndex(({ key }) => key === old.key);
    const entry = catalog[at];
    const missing = Object.keys(old.assets)
      .filter((platform) => entry === undefined || !Object.hasOwn(entry.assets, platform))
      .sort();
    const kept: string[] = [];
    for (const platform of missing) {
      const isSameVersion = entry === undefined || entry.version === old.version;
      if (isSameVersion && (await isStillThere(path, old, platform))) kept.push(platform);
    }
    if (kept.length > 0) {
      const merged = merge(entry ?? { ...old, assets: {}, sha256: {} }, old, kept);
      if (entry === undefined) catalog.push(merged);
      else catalog[at] = merged;
      notes.push(
        `${old.key} ${old.version}: kept from the catalog before, because the archive is still there: ${kept.join(", ")}.`,
      );
    }
    const dropped = missing.filter((platform) => !kept.includes(platform));
    if (dropped.length > 0) notes.push(describeDropped(old, entry, dropped));
  }
  return { catalog: catalog.sort((a, b) => (a.key < b.key ? -1 : 1)), notes };
}

/** None if there is no catalog, or the file is not one. */
async function readCatalogBefore(path: string): Promise<Catalog> {
  try {
    return z.array(catalogEntrySchema).parse(await Bun.file(path).json());
  } catch {
    return [];
  }
}

async function isStillThere(path: string, old: CatalogEntry, platform: string): Promise<boolean> {
  const asset = old.assets[platform] ?? "";
  const sha256 = old.sha256?.[platform];
  // What is on a web server cannot be compared here.
  if (sha256 === undefined || URL.canParse(asset)) return false;
  const file = resolve(dirname(path), asset);
  return (await Bun.file(file).exists()) && (await hashFile(file)) === sha256;
}

function merge(entry: CatalogEntry, old: CatalogEntry, platforms: readonly string[]): CatalogEntry {
  const assets = { ...entry.assets };
  const sha256 = { ...entry.sha256 };
  for (const platform of platforms) {
    assets[platform] = old.assets[platform] ?? "";
    sha256[platform] = old.sha256?.[platform] ?? "";
  }
  const isThinKept = platforms.includes(thinPlatform) && old.hub !== undefined;
  return { ...entry, assets, sha256, ...(isThinKept && { hub: old.hub }) };
}

function describeDropped(
  old: CatalogEntry,
  entry: CatalogEntry | undefined,
  dropped: readonly string[],
): string {
  const list = dropped.join(", ");
  if (entry === undefined) {
    return `${old.key} ${old.version} is no longer in the catalog: there is no archive of it (${list}).`;
  }
  return `${entry.key} ${entry.version} has no archive for ${list}. The catalog before had one of ${old.version}. Machines that need it can no longer install the plugin by its name: build it with \`wick plugin build ${entry.key}\`, and write the catalog again.`;
}
