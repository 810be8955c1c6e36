import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { suggest, toBytesText } from "@hub/connector";
import type { Catalog, CatalogEntry } from "@hub/contract/plugin-catalog.ts";
import { HubError } from "../../errors.ts";
import { toShownAddress } from "../install/install-source.ts";
import {
  embeddedCatalog,
  isEmbedded,
  type OpenPlugins,
  openEmbeddedPlugins,
  readEmbedded,
} from "./embedded-catalog.ts";
import { type GetDeps, getGuarded, toDownloadError } from "./guarded-get.ts";
import { CatalogFault, parseCatalog } from "./parse-catalog.ts";

/** The plugins that can be installed by name. */
export type PluginCatalog = {
  /**
   * Loads the catalog again, which is cheap if it has not changed. If that fails, it returns the last
   * loaded catalog with `staleSince`.
   */
  load(): Promise<LoadedCatalog>;
  find(key: string): Promise<CatalogEntry>;
  locate(asset: string): AssetLocation;
  /** Reads an archive that is in this program: see `isEmbedded`. */
  readEmbedded(asset: URL): Promise<ArrayBuffer>;
  /** Why there is no catalog, and what to do; null if there is one. */
  findAbsence(): Promise<string | null>;
  /** Its URL or path. */
  location(): string;
};

export type AssetLocation = {
  /** A URL; from a catalog on disk also a file URL, from the one in the program one of its files. */
  url: URL;
  /** The URL that an admin has configured: the asset's if the catalog is a file, else the catalog's. */
  named: URL;
};

export type LoadedCatalog = { entries: Catalog; staleSince: Date | null; failure: string | null };

type CatalogDeps = GetDeps & {
  /** URL, path or `embeddedCatalog`; null if this hub has no catalog. */
  location: string | null;
  openEmbedded?: OpenPlugins;
  /** The default of a checkout, which does not exist until `npm run plugins` creates it. */
  isDefault?: boolean;
  cwd: string;
  now(): number;
  /** For a download, from the DNS look-up to the last byte. */
  timeoutMs?: number;
};

const catalogBytesMax = 4 * 1024 * 1024;
const catalogMsMax = 20_000;

const noCatalog =
  "This hub has no plugin catalog. Set HUB_PLUGIN_CATALOG to the URL or file of a catalog. In a checkout, `npm run plugins` creates one.";
const noCatalogFile =
  "The file of the plugin catalog does not exist. In a checkout, `npm run plugins` creates it. To use another catalog, set HUB_PLUGIN_CATALOG.";

type Cached = { entries: Catalog; etag: string | null; at: number };

export function createPluginCatalog(deps: CatalogDeps): PluginCatalog {
  let cached: Cached | null = null;

  const locate = (asset: string): AssetLocation => {
    const base = toBase(deps);
    const url = new URL(asset, base);
    // Attack: a remote catalog that names files of this machine.
    if (url.protocol === "file:" && base.protocol !== "file:") {
      throw new HubError("upstream_error", "The catalog names a file on the hub's machine.", {
        localMessage: `The catalog names a file, ${asset}.`,
      });
    }
    if (isEmbedded(url) && !isEmbedded(base)) {
      throw new HubError("upstream_error", `The catalog names ${asset}, which is not an address.`);
    }
    return { url, named: base.protocol === "file:" ? url : base };
  };

  const load = async (): Promise<LoadedCatalog> => {
    try {
      cached = await readCatalog(deps, cached);
      return { entries: cached.entries, staleSince: null, failure: null };
    } catch (thrown) {
      if (cached === null) throw thrown;
      const failure = thrown instanceof Error ? thrown.message : String(thrown);
      return { entries: cached.entries, staleSince: new Date(cached.at), failure };
    }
  };

  return {
    load,
    async findAbsence() {
      if (deps.location === null) return noCatalog;
      if (deps.isDefault !== true || isAddress(deps.location)) return null;
      if (deps.location === embeddedCatalog) return null;
      const stats = await stat(resolve(deps.cwd, deps.location)).catch(() => null);
      return stats === null ? noCatalogFile : null;
    },
    locate,
    readEmbedded: (asset) => readEmbedded(toOpen(deps), asset),
    location() {
      const base = toBase(deps);
      if (isEmbedded(base)) return embeddedCatalog;
      return base.protocol === "file:" ? fileURLToPath(base) : toShownAddress(base);
    },
    async find(key) {
      const { entries } = await load();
      const entry = entries.find((each) => each.key === key);
      if (entry !== undefined) return entry;
      const keys = entries.map((each) => each.key);
      const advice = ` To list the catalog, run \`hub plugin search\`. To install a folder or an archive, give its path, such as ./${key}.`;
      throw new HubError(
        "not_found",
        `The catalog has no plugin "${key}".${suggest(key, keys) || advice}`,
      );
    },
  };
}

/** Throws `bad_configuration` if no catalog is configured. */
function toBase({ location, cwd }: CatalogDeps): URL {
  if (location === null) {
    throw new HubError("bad_configuration", noCatalog);
  }
  if (location === embeddedCatalog || isAddress(location)) return new URL(location);
  return pathToFileURL(resolve(cwd, location));
}

function toOpen({ openEmbedded = openEmbeddedPlugins }: CatalogDeps): OpenPlugins {
  return openEmbedded;
}

function isAddress(location: string): boolean {
  return /^https?:\/\//i.test(location) && URL.canParse(location);
}

async function readCatalog(deps: CatalogDeps, cached: Cached | null): Promise<Cached> {
  const base = toBase(deps);
  const at = deps.now();
  if (base.protocol === "file:") return { entries: await readFromDisk(deps), etag: null, at };
  if (isEmbedded(base)) {
    const text = new TextDecoder().decode(await readEmbedded(toOpen(deps), base));
    return { entries: await readEntries(deps, text), etag: null, at };
  }
  const response = await getGuarded(deps, {
    url: base,
    named: base,
    plugin: "catalog",
    headers: cached?.etag ? { "if-none-match": cached.etag } : {},
    timeoutMs: deps.timeoutMs ?? catalogMsMax,
    bodyBytesMax: catalogBytesMax,
  });
  if (response.status === 304 && cached !== null) return { ...cached, at };
  if (!response.ok) {
    await response.body?.cancel();
    throw toCatalogError(deps, `answered ${response.status}`);
  }
  const text = await response.text().catch((thrown) => {
    throw toDownloadError("catalog", thrown);
  });
  return { entries: await readEntries(deps, text), etag: response.headers.get("etag"), at };
}

async function readFromDisk(deps: CatalogDeps): Promise<Catalog> {
  const path = resolve(deps.cwd, deps.location ?? "");
  const stats = await stat(path).catch(() => null);
  if (stats === null) {
    throw new HubError("not_found", noCatalogFile, {
      localMessage: `There is no plugin catalog at ${path}. In a checkout, \`npm run plugins\` creates it. To use another catalog, set HUB_PLUGIN_CATALOG.`,
    });
  }
  if (!stats.isFile() || stats.size > catalogBytesMax) {
    throw toCatalogError(deps, `is not a file of at most ${toBytesText(catalogBytesMax)}`);
  }
  return await readEntries(deps, await readFile(path, "utf8"));
}

async function readEntries(deps: CatalogDeps, text: string): Promise<Catalog> {
  try {
    return await parseCatalog(text);
  } catch (thrown) {
    if (!(thrown instanceof CatalogFault)) throw thrown;
    throw toCatalogError(deps, thrown.message, thrown);
  }
}

function toCatalogError({ location }: CatalogDeps, fault: string, cause?: unknown): HubError {
  const advice = "Check HUB_PLUGIN_CATALOG, or report this to the catalog's publisher.";
  const host = location !== null && isAddress(location) ? ` at ${new URL(location).host}` : "";
  return new HubError("upstream_error", `The plugin catalog${host} ${fault}. ${advice}`, {
    cause,
    localMessage: `The plugin catalog at ${location} ${fault}. ${advice}`,
  });
}
