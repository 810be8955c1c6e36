import { existsSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { readLicenceFiles } from "../../licences/licence-files.ts";

/** The licences of the packages that the files come from, with names and versions; empty without packages. */
export async function collectLicences(files: readonly string[]): Promise<string> {
  const folders = [...new Set(files.flatMap((file) => findPackage(file) ?? []))].sort();
  const texts = new Map<string, string>();
  for (const folder of folders) {
    const { name = "", version = "" } = await Bun.file(join(folder, "package.json")).json();
    texts.set(`${name} ${version}`, await readLicence(folder));
  }
  const parts = [...texts].sort().map(([title, text]) => `${title}\n\n${text}`);
  return parts.join("\n\n----\n\n");
}

/** The folder of the package in `node_modules` that a file belongs to; null for the plugin's own files. */
function findPackage(file: string): string | null {
  if (!file.includes(`${sep}node_modules${sep}`)) return null;
  for (let at = dirname(file); at !== dirname(at); at = dirname(at)) {
    const isPackage = /[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+$/.test(at);
    if (isPackage) return existsSync(join(at, "package.json")) ? at : null;
  }
  return null;
}

async function readLicence(folder: string): Promise<string> {
  const texts = await readLicenceFiles(folder);
  if (texts.length > 0) return texts.map((text) => text.trim()).join("\n\n");
  const { license } = await Bun.file(join(folder, "package.json")).json();
  return `Licence: ${typeof license === "string" ? license : "not stated"}`;
}
