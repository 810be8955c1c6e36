import { z } from "zod";

/** Files that `npm run build` embeds into the program as one. */
export type PackedFiles = {
  names: readonly string[];
  /** Throws if no file has the name. */
  read(name: string): ArrayBuffer;
};

const headerSchema = z.record(z.string(), z.tuple([z.int().min(0), z.int().min(0)]));

/** Opens the files of a kind, such as `web` for `web.pack`; null if this program has none. */
export async function openEmbedded(kind: string): Promise<PackedFiles | null> {
  const packed = findEmbedded(kind);
  return packed === undefined ? null : await openPacked(packed);
}

/** Whether this program has files of a kind in it. */
export function hasEmbedded(kind: string): boolean {
  return findEmbedded(kind) !== undefined;
}

function findEmbedded(kind: string): Blob | undefined {
  const name = new RegExp(`(?:^|/)${kind}(?:-[a-z0-9]+)?\\.pack$`);
  return Bun.embeddedFiles.find((file) => "name" in file && name.test(String(file.name)));
}

/**
 * Opens files in one: the length of the header in four bytes, the header with the start and the end of each
 * file, and the files.
 */
export async function openPacked(packed: Blob): Promise<PackedFiles> {
  const bytes = await packed.arrayBuffer();
  const filesStart = 4 + new DataView(bytes).getUint32(0);
  const text = new TextDecoder().decode(bytes.slice(4, filesStart));
  const places = new Map(Object.entries(headerSchema.parse(JSON.parse(text))));
  return {
    names: [...places.keys()],
    read(name) {
      const [start, end] = places.get(name) ?? [];
      if (start === undefined || end === undefined) {
        throw new Error(`The program has no file ${name} in it.`);
      }
      return bytes.slice(filesStart + start, filesStart + end);
    },
  };
}
