import { z } from "zod";
import type { ReadWebFile } from "./web-files.ts";

/** `npm run build` embeds a file of this name into the program. */
const packedName = /(?:^|\/)web-[a-z0-9]+\.pages$|^web\.pages$/;

const headerSchema = z.record(z.string(), z.tuple([z.int().min(0), z.int().min(0)]));

/** Returns the app that is embedded in this program, or null without one. */
export function findPackedWeb(): Blob | null {
  return (
    Bun.embeddedFiles.find((file) => "name" in file && packedName.test(String(file.name))) ?? null
  );
}

/**
 * Opens an app in one file: the length of its header in four bytes, the header with the start and the end
 * of each file, and the files.
 */
export async function openPackedWeb(packed: Blob): Promise<ReadWebFile> {
  const bytes = await packed.arrayBuffer();
  const filesStart = 4 + new DataView(bytes).getUint32(0);
  const text = new TextDecoder().decode(bytes.slice(4, filesStart));
  const places = new Map(Object.entries(headerSchema.parse(JSON.parse(text))));
  return async (name) => {
    const [start, end] = places.get(name) ?? [];
    if (start === undefined || end === undefined) throw new Error(`The app has no file ${name}.`);
    return bytes.slice(filesStart + start, filesStart + end);
  };
}
