import { existsSync } from "node:fs";
import { mkdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openEmbedded } from "@hub/server/lib/files/packed-files.ts";
import { z } from "zod";

/** `hub_build` is in packages that {@link provideConnector} wrote, and in no others. */
const packageSchema = z.object({ hub_build: z.string().optional() });

/**
 * Lets a plugin's files import `@hub/connector`: puts the package into the `node_modules` of its folder, unless
 * they find one there or above. A package of an older hub that this function wrote is replaced.
 */
export async function provideConnector(folder: string): Promise<void> {
  const own = join(folder, "node_modules", "@hub", "connector");
  const embedded = await openEmbedded("connector");
  if (embedded === null) {
    if (findConnector(folder) === null) await linkConnector(own);
    return;
  }
  const found = findConnector(folder);
  const manifest = Buffer.from(embedded.read("package.json"));
  if (found !== null && (found !== own || !(await isOutdated(own, manifest)))) return;
  const draft = `${own}.${process.pid}`;
  for (const name of embedded.names) {
    await mkdir(dirname(join(draft, name)), { recursive: true });
    await writeFile(join(draft, name), Buffer.from(embedded.read(name)));
  }
  await rm(own, { recursive: true, force: true });
  await rename(draft, own);
}

/** The folder of the package that files of a folder import; null without one. */
function findConnector(folder: string): string | null {
  const path = join(folder, "node_modules", "@hub", "connector");
  if (existsSync(join(path, "package.json"))) return path;
  const parent = dirname(folder);
  return parent === folder ? null : findConnector(parent);
}

async function isOutdated(own: string, manifest: Buffer): Promise<boolean> {
  const found = await readFile(join(own, "package.json"));
  if (found.equals(manifest)) return false;
  return packageSchema.parse(JSON.parse(found.toString())).hub_build !== undefined;
}

/** Links the package as `npm install` would, so that the plugin works without an install. */
async function linkConnector(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  // A link to a checkout that was moved.
  await rm(path, { force: true });
  await symlink(findConnectorPackage(), path, "junction");
}

/** The folder of the package that this program imports. Throws in a program that has none. */
export function findConnectorPackage(): string {
  const folder = join(dirname(fileURLToPath(import.meta.resolve("@hub/connector"))), "..");
  if (existsSync(join(folder, "package.json"))) return folder;
  throw new Error(
    "This program has no package for plugins in it. Use the hub's own program, or `wick` of a checkout.",
  );
}
