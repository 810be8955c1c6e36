import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** Null if there is no such file. */
export async function readText(file: string): Promise<string | null> {
  try {
    return await readFile(file, "utf8");
  } catch (failure) {
    if (Object(failure).code === "ENOENT") return null;
    throw failure;
  }
}

/** No reader sees a part of the file. */
export async function writeWhole(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}.new`;
  await Bun.write(draft, text, { mode: 0o644 });
  await rename(draft, file);
}
