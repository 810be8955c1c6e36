import { z } from "zod";
import { toUsageError } from "../../errors/usage-error.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export type ReleaseAsset = { name: string; url: string; sha256: string | null };

const releasesSchema = z.array(
  z.object({
    draft: z.boolean(),
    prerelease: z.boolean(),
    assets: z.array(
      z.object({
        name: z.string(),
        browser_download_url: z.url(),
        /** `sha256:` and hex, if GitHub has computed it. */
        digest: z.string().nullable().optional(),
      }),
    ),
  }),
);

const pageSize = 100;
const pagesMax = 100;
const requestMsMax = 60_000;
const downloadMsMax = 15 * 60_000;

/** The assets of all published releases of a repository. */
export async function listReleaseAssets(env: Environment, repo: string): Promise<ReleaseAsset[]> {
  if (!/^[A-Za-z0-9-]{1,39}\/[A-Za-z0-9._-]{1,100}$/.test(repo)) {
    throw toUsageError(`"${repo}" is not a repository name. Write owner/repo.`);
  }
  const assets: ReleaseAsset[] = [];
  for (let page = 1; page <= pagesMax; page += 1) {
    const query = `per_page=${pageSize}&page=${page}`;
    const url = `${toApi(env)}repos/${repo}/releases?${query}`;
    const response = await get(env, url, requestMsMax);
    const { data: releases } = releasesSchema.safeParse(await response.json().catch(() => null));
    if (releases === undefined) {
      throw new Error(`${toApi(env)} did not answer with releases, as the API of GitHub does.`);
    }
    for (const release of releases) {
      if (!release.draft && !release.prerelease) assets.push(...release.assets.map(toAsset));
    }
    if (releases.length < pageSize) break;
  }
  return assets;
}

export async function downloadAsset(
  env: Environment,
  { url }: ReleaseAsset,
  path: string,
): Promise<void> {
  await Bun.write(path, await get(env, url, downloadMsMax));
}

async function get(env: Environment, url: string, timeoutMs: number): Promise<Response> {
  const response = await fetch(url, {
    signal: AbortSignal.timeout(timeoutMs),
    // Only the API gets the token, because a release may name any URL.
    headers:
      url.startsWith(toApi(env)) && env.GITHUB_TOKEN
        ? { authorization: `Bearer ${env.GITHUB_TOKEN}` }
        : {},
  });
  if (response.ok) return response;
  await response.body?.cancel();
  throw new Error(
    `${new URL(url).host} answered ${response.status} for ${url}. Check the repository's name. Set GITHUB_TOKEN for private repositories and for a higher rate limit.`,
  );
}

/** Ends with a slash, because `https://api.github.com.example.net` has the same prefix without. */
function toApi(env: Environment): string {
  return `${(env.GITHUB_API_URL ?? "https://api.github.com").replace(/\/+$/, "")}/`;
}

type Asset = z.infer<typeof releasesSchema>[number]["assets"][number];

function toAsset({ name, browser_download_url, digest }: Asset): ReleaseAsset {
  const sha256 = /^sha256:([0-9a-f]{64})$/.exec(digest ?? "")?.[1] ?? null;
  return { name, url: browser_download_url, sha256 };
}
