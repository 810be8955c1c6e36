import { z } from "zod";

/** A file of the app, with its compressed forms, which are made at build time. */
export type WebFile = { type: string; body: Blob; brotli: Blob; gzip: Blob };

/** The built app of `packages/web`. Its names contain a hash, so that browsers can cache it forever. */
export type WebFiles = {
  /** The module that starts the app. */
  entry: string;
  /** The modules that the entry imports at once. */
  preloads: readonly string[];
  styles: readonly string[];
  files: ReadonlyMap<string, WebFile>;
};

const nameSchema = z.string().regex(/^[A-Za-z0-9_-]+\.[A-Za-z0-9]+\.(js|css|svg|woff2)$/);
const manifestSchema = z.object({
  entry: nameSchema,
  preloads: z.array(nameSchema),
  styles: z.array(nameSchema),
  files: z.array(nameSchema),
});

const types: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/** Reads a file of a built app by its name. */
export type ReadWebFile = (name: string) => Promise<ArrayBuffer>;

/**
 * Reads a built app into memory: a later build may remove its folder. Names that are not in its manifest
 * are never read, so a request cannot name a path.
 */
export async function readWebFiles(read: ReadWebFile): Promise<WebFiles> {
  const { files: names, ...manifest } = manifestSchema.parse(
    JSON.parse(new TextDecoder().decode(await read("manifest.json"))),
  );
  const files = new Map<string, WebFile>();
  for (const name of names) {
    files.set(name, {
      type: types[name.split(".").at(-1) ?? ""] ?? "application/octet-stream",
      body: new Blob([await read(name)]),
      brotli: new Blob([await read(`${name}.br`)]),
      gzip: new Blob([await read(`${name}.gz`)]),
    });
  }
  return { ...manifest, files };
}
