import { HubError } from "../../errors.ts";
import { openEmbedded, type PackedFiles } from "../../lib/files/packed-files.ts";

/** The kind of the packed files: the catalog and the archives that it names. */
export const embeddedKind = "plugins";

const scheme = "embedded:";
const catalogName = "plugins.json";

/** The location of the catalog that `npm run build` puts into the program, in place of a URL or path. */
export const embeddedCatalog = `${scheme}/${catalogName}`;

/** Opens the packed files; null if this program has none. */
export type OpenPlugins = () => Promise<PackedFiles | null>;

export const openEmbeddedPlugins: OpenPlugins = () => openEmbedded(embeddedKind);

/** Whether a catalog or an archive is in the program. */
export function isEmbedded(url: URL): boolean {
  return url.protocol === scheme;
}

/** Reads the catalog or an archive. Throws `not_found` if the program does not have it. */
export async function readEmbedded(open: OpenPlugins, url: URL): Promise<ArrayBuffer> {
  const name = decodeURIComponent(url.pathname).replace(/^\//, "");
  const files = await open();
  if (files?.names.some((one) => one === name)) return files.read(name);
  throw new HubError(
    "not_found",
    `This program has no ${name} in it. To use another catalog, set HUB_PLUGIN_CATALOG.`,
  );
}
