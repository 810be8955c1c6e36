import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { pluginKeyPattern } from "@hub/contract/plugin-manifest.ts";
import { toUsageError } from "../usage-error.ts";
import { toTemplates } from "./plugin-templates.ts";

export type MadePlugin = { key: string; folder: string; files: string[] };

/** Writes a plugin that builds and passes its test as it is. */
export async function initPlugin(cwd: string, key: string): Promise<MadePlugin> {
  if (!pluginKeyPattern.test(key)) {
    throw toUsageError(`"${key}" cannot be a key: use a-z, 0-9 and _, at most 64.`);
  }
  const folder = join(cwd, key);
  if (existsSync(folder)) {
    throw new Error(`${folder} is there already; choose another key, or another place.`);
  }
  const connector = findConnectorPackage();
  const files = Object.entries(toTemplates({ key, connector: relative(folder, connector) }));
  for (const [name, text] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text, { flag: "wx" });
  }
  // As an install would do it, so that the plugin works before one.
  const link = join(folder, "node_modules", "@hub", "connector");
  await mkdir(dirname(link), { recursive: true });
  await symlink(connector, link, "junction");
  return { key, folder, files: files.map(([name]) => name) };
}

/** The folder of `@hub/connector`, from which this program itself imports. */
function findConnectorPackage(): string {
  return join(dirname(fileURLToPath(import.meta.resolve("@hub/connector"))), "..");
}
