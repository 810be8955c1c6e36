import { mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { Catalog, CatalogEntry } from "@hub/contract/plugin-catalog.ts";
import { thinPlatform } from "@hub/contract/plugin-manifest.ts";
import { hashFile } from "@hub/server/plugins/verify/check-hash.ts";
import { toUsageError } from "../../errors/usage-error.ts";
import { keepValid } from "../build/keep-valid.ts";
import { downloadAsset, listReleaseAssets } from "./github-releases.ts";
import { type ArchiveName, parseArchiveName } from "./parse-archive-name.ts";
import { verifyArchive } from "./verify-archive.ts";

export type CatalogRequest = {
  repo: string | null;
  from: string | null;
  baseUrl: string | null;
  out: string;
};

export type CatalogDeps = { cwd: string; env: Readonly<Record<string, string | undefined>> };

/** An archive that a catalog may name. */
type Candidate = ArchiveName & {
  url: string;
  sha256: string | null;
  /** Saves the archive on disk and returns its path. */
  fetch(folder: string): Promise<string>;
};

/** The catalog, and sentences on what the catalog before had and this one lacks or keeps. */
export type WrittenCatalog = { catalog: Catalog; notes: string[] };

/**
 * Writes a catalog of the newest version of each plugin, sorted by key. Replaces it atomically. Archives of the same version
 * that the catalog before names stay in it if they are still there.
 */
export async function writeCatalog(
  deps: CatalogDeps,
  request: CatalogRequest,
): Promise<WrittenCatalog> {
  const { repo, from, out } = request;
  if ((repo === null) === (from === null)) throw toUsageError("Give either --repo or --from.");
  const candidates =
    repo === null ? await listFolder(deps, request) : await listReleases(deps, repo);
  const work = await mkdtemp(join(tmpdir(), "wick-catalog-"));
  try {
    const keys = [...new Set(candidates.map(({ key }) => key))].sort();
    const found: Catalog = [];
    for (const key of keys) {
      const versions = candidates.filter((each) => each.key === key);
      found.push(await toEntry(versions, work));
    }
    const path = resolve(deps.cwd, out);
    const { catalog, notes } = await keepValid(path, found);
    const beside = `${path}.${process.pid}.tmp`;
    await writeFile(beside, `${JSON.stringify(catalog, null, 2)}\n`);
    await rename(beside, path);
    return { catalog, notes };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function toEntry(versions: readonly Candidate[], work: string): Promise<CatalogEntry> {
  const newest =
    versions
      .map(({ version }) => version)
      .sort(Bun.semver.order)
      .at(-1) ?? "";
  const archives = versions
    .filter(({ version }) => version === newest)
    .sort((a, b) => (a.target < b.target ? -1 : 1));
  const [first] = archives;
  if (first === undefined) throw new Error("a catalog entry needs at least one archive");
  // Name and description come from the archive, which is verified at the same time.
  const about = await verifyArchive(work, await first.fetch(work));
  if (about.key !== first.key || about.version !== first.version) {
    throw new Error(
      `${first.file} contains ${about.key} ${about.version}. Do not rename archives. Build the archive again.`,
    );
  }
  const thin = archives.find(({ target }) => target === thinPlatform);
  const hub = thin && (await verifyArchive(work, await thin.fetch(work))).hub;
  const hashes = archives.flatMap(({ target, sha256 }) => (sha256 ? [[target, sha256]] : []));
  return {
    key: about.key,
    name: about.name,
    description: about.description,
    version: about.version,
    ...(about.default_tags.length > 0 && { default_tags: about.default_tags }),
    assets: Object.fromEntries(archives.map(({ target, url }) => [target, url])),
    ...(hashes.length > 0 && { sha256: Object.fromEntries(hashes) }),
    ...(hub != null && { hub }),
  };
}

async function listFolder(
  { cwd }: CatalogDeps,
  { from, baseUrl, out }: CatalogRequest,
): Promise<Candidate[]> {
  const folder = resolve(cwd, from ?? "");
  const candidates: Candidate[] = [];
  for (const file of (await readdir(folder)).sort()) {
    const name = parseArchiveName(file);
    if (name === null) continue;
    const path = join(folder, file);
    const local = relative(dirname(resolve(cwd, out)), path).replaceAll("\\", "/");
    candidates.push({
      ...name,
      url: baseUrl === null ? local : `${baseUrl.replace(/\/$/, "")}/${file}`,
      sha256: await hashFile(path),
      fetch: async () => path,
    });
  }
  return candidates;
}

async function listReleases({ env }: CatalogDeps, repo: string): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const asset of await listReleaseAssets(env, repo)) {
    const name = parseArchiveName(asset.name);
    if (name === null) continue;
    candidates.push({
      ...name,
      url: asset.url,
      sha256: asset.sha256,
      async fetch(folder) {
        const path = join(folder, basename(asset.name));
        await downloadAsset(env, asset, path);
        return path;
      },
    });
  }
  return candidates;
}
