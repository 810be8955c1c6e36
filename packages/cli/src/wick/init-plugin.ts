import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { pluginKeyPattern } from "@hub/contract/plugin-manifest.ts";
import { toUsageError } from "../usage-error.ts";
import { toTemplates } from "./plugin-templates.ts";

export type MadePlugin = { key: string; folder: string; files: string[] };

/** Writes a plugin that builds and passes its test unchanged. */
export async function initPlugin(cwd: string, key: string): Promise<MadePlugin> {
  if (!pluginKeyPattern.test(key)) {
    throw toUsageError(`"${key}" is not a valid key. Use a-z, 0-9 and _, at most 64 characters.`);
  }
  const folder = join(cwd, key);
  if (existsSync(folder)) {
    throw new Error(`${folder} already exists. Choose another key or another folder.`);
  }
  const connector = findConnectorPackage();
  const files = Object.entries(toTemplates({ key, connector: relative(folder, connector) }));
  for (const [name, text] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text, { flag: "wx" });
  }
  // Links the package as `npm install` would, so that the plugin works without an install.
  const link = join(folder, "node_modules", "@hub", "connector");
  await mkdir(dirname(link), { recursive: true });
  await symlink(connector, link, "junction");
  return { key, folder, files: files.map(([name]) => name) };
}

/** Returns the folder of the `@hub/connector` package that this program imports. */
function findConnectorPackage(): string {
  return join(dirname(fileURLToPath(import.meta.resolve("@hub/connector"))), "..");
}
