import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/** Copies the documentation without its pictures. */
export async function copyPages(from: string, to: string): Promise<void> {
  for (const path of new Bun.Glob("**/*.md").scanSync(from)) {
    await mkdir(join(to, dirname(path)), { recursive: true });
    await copyFile(join(from, path), join(to, path));
  }
}
