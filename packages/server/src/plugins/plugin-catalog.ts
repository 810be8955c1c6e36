import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { suggest } from "@hub/connector";
import { type Catalog, type CatalogEntry, catalogSchema } from "@hub/contract/plugin-catalog.ts";
import { HubError } from "../errors.ts";
import { type GetDeps, getGuarded, toDownloadError } from "./guarded-get.ts";
import { toShownAddress } from "./install/install-source.ts";

/** The plugins that can be installed by name. */
export type PluginCatalog = {
  /**
   * Asks for the catalog anew, which costs little when it did not change. `staleSince` is set when it
   * could not be had: what is listed is then the last one seen.
   */
  load(): Promise<LoadedCatalog>;
  find(key: string): Promise<CatalogEntry>;
  locate(asset: string): AssetPlace;
  /** Its address or path. */
  place(): string;
};

export type AssetPlace = {
  /** An address or, from a catalog on disk, perhaps a file. */
  url: URL;
  /** The address that an admin answers for: of the asset when the catalog is a file, else the catalog's. */
  named: URL;
};

export type LoadedCatalog = { entries: Catalog; staleSince: Date | null; failure: string | null };

type CatalogDeps = GetDeps & {
  /** Address or path; null where this hub has no catalog. */
  location: string | null;
  cwd: string;
  now(): number;
  /** For a download from look-up to last byte. */
  timeoutMs?: number;
};

const catalogBytesMax = 4 * 1024 * 1024;
const catalogMsMax = 20_000;

type Cached = { entries: Catalog; etag: string | null; at: number };

export function createPluginCatalog(deps: CatalogDeps): PluginCatalog {
  let cached: Cached | null = null;

  const locate = (asset: string): AssetPlace => {
    const base = toBase(deps);
    const url = new URL(asset, base);
    // Names the attack: a catalog from afar that points at files of this machine.
    if (url.protocol === "file:" && base.protocol !== "file:") {
      throw new HubError("upstream_error", "The catalog points at a file of the hub's machine.", {
        localMessage: `The catalog points at a file, ${asset}.`,
      });
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
    locate,
    place() {
      const base = toBase(deps);
      return base.protocol === "file:" ? fileURLToPath(base) : toShownAddress(base);
    },
    async find(key) {
      const { entries } = await load();
      const entry = entries.find((each) => each.key === key);
      if (entry !== undefined) return entry;
      const keys = entries.map((each) => each.key);
      const advice = ` \`hub plugin search\` lists what it has. A folder or an archive is given by its path, such as ./${key}.`;
      throw new HubError(
        "not_found",
        `The catalog has no plugin "${key}".${suggest(key, keys) || advice}`,
      );
    },
  };
}

/** Throws `bad_configuration` when there is no catalog. */
function toBase({ location, cwd }: CatalogDeps): URL {
  if (location === null) {
    throw new HubError(
      "bad_configuration",
      "This hub has no catalog of plugins. Set HUB_PLUGIN_CATALOG to the address or file of one; in a checkout, `npm run plugins` makes one.",
    );
  }
  return isAddress(location) ? new URL(location) : pathToFileURL(resolve(cwd, location));
}

function isAddress(location: string): boolean {
  return /^https?:\/\//i.test(location) && URL.canParse(location);
}

async function readCatalog(deps: CatalogDeps, cached: Cached | null): Promise<Cached> {
  const base = toBase(deps);
  const at = deps.now();
  if (base.protocol === "file:") return { entries: await readFromDisk(deps), etag: null, at };
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
  return { entries: parseCatalog(deps, text), etag: response.headers.get("etag"), at };
}

async function readFromDisk(deps: CatalogDeps): Promise<Catalog> {
  const path = resolve(deps.cwd, deps.location ?? "");
  const stats = await stat(path).catch(() => null);
  if (stats === null) {
    throw new HubError(
      "not_found",
      "There is no catalog of plugins where this hub looks for it. In a checkout, `npm run plugins` makes it; HUB_PLUGIN_CATALOG names another one.",
      {
        localMessage: `There is no catalog at ${path}. In a checkout, \`npm run plugins\` makes it; HUB_PLUGIN_CATALOG names another one.`,
      },
    );
  }
  if (!stats.isFile() || stats.size > catalogBytesMax) {
    throw toCatalogError(deps, `is no file of at most ${catalogBytesMax} bytes`);
  }
  return parseCatalog(deps, await readFile(path, "utf8"));
}

function parseCatalog(deps: CatalogDeps, text: string): Catalog {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw toCatalogError(deps, "is not JSON", cause);
  }
  const parsed = catalogSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw toCatalogError(
    deps,
    `has a bad ${issue?.path.join(".")} (${issue?.message})`,
    parsed.error,
  );
}

function toCatalogError({ location }: CatalogDeps, fault: string, cause?: unknown): HubError {
  const advice = "Check HUB_PLUGIN_CATALOG, or report this to the catalog's publisher.";
  const place = location !== null && isAddress(location) ? ` at ${new URL(location).host}` : "";
  return new HubError("upstream_error", `The catalog of plugins${place} ${fault}. ${advice}`, {
    cause,
    localMessage: `The catalog of plugins at ${location} ${fault}. ${advice}`,
  });
}
