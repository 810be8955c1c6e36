import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { pluginKeyPattern } from "@hub/contract/plugin-manifest.ts";
import { openEmbedded } from "@hub/server/lib/files/packed-files.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { findConnectorPackage, provideConnector } from "./build/provide-connector.ts";
import { type ProgramNames, toTemplates } from "./plugin-templates.ts";

export type MadePlugin = { key: string; folder: string; files: string[] };

/** Writes a plugin that builds and passes its test unchanged. */
export async function initPlugin(
  cwd: string,
  key: string,
  names: ProgramNames,
): Promise<MadePlugin> {
  if (!pluginKeyPattern.test(key)) {
    throw toUsageError(`"${key}" is not a valid key. Use a-z, 0-9 and _, at most 64 characters.`);
  }
  const folder = join(cwd, key);
  if (existsSync(folder)) {
    throw new Error(`${folder} already exists. Choose another key or another folder.`);
  }
  // One file brings the package with it, and npm would not find it.
  const isEmbedded = (await openEmbedded("connector")) !== null;
  const connector = isEmbedded ? null : relative(folder, findConnectorPackage());
  const files = Object.entries(toTemplates({ key, connector, names }));
  for (const [name, text] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text, { flag: "wx" });
  }
  await provideConnector(folder);
  return { key, folder, files: files.map(([name]) => name) };
}
