import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Glob } from "bun";
import { packageFolder } from "../lib/files/package-folder.ts";
import { openEmbedded } from "../lib/files/packed-files.ts";

/** The pages of the documentation, as paths such as `guide/backup.md`. */
export type Docs = {
  paths: readonly string[];
  read(path: string): Promise<string>;
};

/** Opens the pages in this program, or those of its package or of the checkout. Throws if there are none. */
export async function readDocs(): Promise<Docs> {
  const embedded = await openEmbedded("docs");
  if (embedded !== null) {
    return {
      paths: embedded.names,
      read: async (path) => new TextDecoder().decode(embedded.read(path)),
    };
  }
  const folders = [join(packageFolder, "docs"), join(packageFolder, "..", "..", "docs")];
  const folder = folders.find((each) => existsSync(join(each, "README.md")));
  if (folder !== undefined) {
    const paths = [...new Glob("**/*.md").scanSync(folder)].sort();
    return { paths, read: (path) => readFile(join(folder, path), "utf8") };
  }
  throw new Error(
    "This program has no documentation in it. The hub's own program has it, and the folder docs/ of the hub's repository.",
  );
}
