import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const fileName = /^(?:(?:un)?licen[cs]e|copying|copyright|notice|third[-_ ]?party)/i;
const isCode = /\.(?:[cm]?[jt]sx?|json|map)$/i;

/** The texts of the files of a package with its licence and notices, in the order of their names. A blank file is none. */
export async function readLicenceFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && fileName.test(entry.name) && !isCode.test(entry.name))
    .map(({ name }) => name);
  const texts = await Promise.all(names.sort().map((name) => readFile(join(folder, name), "utf8")));
  return texts.filter((text) => text.trim() !== "");
}
