import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";

/** Packs the files of a folder and of those in it into the form that the program opens: see `packed-files.ts`. */
export async function packFolder(folder: string): Promise<Uint8Array> {
  const header: Record<string, [number, number]> = {};
  const files: Uint8Array[] = [];
  let end = 0;
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths.sort()) {
    const bytes = await Bun.file(path).bytes();
    header[relative(folder, path).replaceAll("\\", "/")] = [end, end + bytes.length];
    end += bytes.length;
    files.push(bytes);
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, ...files]);
}
