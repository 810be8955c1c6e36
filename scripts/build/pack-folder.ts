import { readdir } from "node:fs/promises";
import { join } from "node:path";

/** Packs the files of a folder, by name, into the form that the server opens: see `packed-web.ts`. */
export async function packFolder(folder: string): Promise<Uint8Array> {
  const header: Record<string, [number, number]> = {};
  const files: Uint8Array[] = [];
  let end = 0;
  for (const name of (await readdir(folder)).sort()) {
    const bytes = await Bun.file(join(folder, name)).bytes();
    header[name] = [end, end + bytes.length];
    end += bytes.length;
    files.push(bytes);
  }
  const text = Buffer.from(JSON.stringify(header));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(text.length);
  return Buffer.concat([length, text, ...files]);
}
