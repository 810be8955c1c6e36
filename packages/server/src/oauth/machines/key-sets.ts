import type { GuardedFetch } from "@hub/connector";
import type { JSONWebKeySet } from "jose";
import { z } from "zod";
import type { TrustedIssuer } from "../../store/machines/trusted-issuers-table.ts";

type KeySource = Pick<TrustedIssuer, "issuer" | "jwksUri">;

/** The public keys of trusted issuers. */
export type KeySets = {
  /**
   * The keys of an issuer, which are cached. With `isRenewed`, they are read again if they are not fresh. Rejects if they
   * cannot be read, and there are no earlier ones.
   */
  find(source: KeySource, options?: { isRenewed?: boolean }): Promise<JSONWebKeySet>;
};

type KeyDeps = { fetch: GuardedFetch; now(): number };

/** A key that the issuer removed is refused after this time. */
const keptMs = 10 * 60_000;
/** Assertions with unknown key ids cause no more requests than this. */
const renewedMs = 30_000;
/** An issuer that failed is not asked again before: strangers may send assertions that name it. */
const failedMs = 5_000;
/** More than an admin would register. */
const setsMax = 200;
const keysMax = 100;

const keySetSchema = z.object({
  // jose reads the members of each key by its own rules.
  keys: z.array(z.looseObject({ kty: z.string() })).max(keysMax),
});
const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** Reads keys through the outbound guard. */
export function createKeySets({ fetch, now }: KeyDeps): KeySets {
  const known = new Map<string, { keys: JSONWebKeySet; at: number }>();
  const asking = new Map<string, Promise<JSONWebKeySet>>();
  const failedAt = new Map<string, number>();

  async function read(name: string, source: KeySource): Promise<JSONWebKeySet> {
    try {
      const uri = source.jwksUri ?? (await findJwksUri(fetch, source.issuer));
      const { keys: found } = keySetSchema.parse(await readJson(fetch, uri));
      // Symmetric keys have no place in a public set.
      const keys = { keys: found.filter(({ kty }) => kty !== "oct") };
      if (known.size >= setsMax) known.clear();
      known.set(name, { keys, at: now() });
      return keys;
    } catch (thrown) {
      if (failedAt.size >= setsMax) failedAt.clear();
      failedAt.set(name, now());
      throw thrown;
    } finally {
      asking.delete(name);
    }
  }

  return {
    async find(source, { isRenewed = false } = {}) {
      const name = `${source.issuer} ${source.jwksUri ?? ""}`;
      const before = known.get(name);
      const age = before === undefined ? Number.POSITIVE_INFINITY : now() - before.at;
      if (before !== undefined && age < (isRenewed ? renewedMs : keptMs)) return before.keys;
      const failed = failedAt.get(name);
      if (failed !== undefined && now() - failed < failedMs) {
        throw new Error("The issuer has just failed to answer");
      }
      const reading = asking.get(name) ?? read(name, source);
      asking.set(name, reading);
      return await reading;
    },
  };
}

/** The metadata must be of this issuer: another one's keys would open its place. */
async function findJwksUri(fetch: GuardedFetch, issuer: string): Promise<string> {
  const base = issuer.endsWith("/") ? issuer.slice(0, -1) : issuer;
  const metadata = metadataSchema.parse(
    await readJson(fetch, `${base}/.well-known/openid-configuration`),
  );
  if (metadata.issuer !== issuer) throw new Error("The metadata is of another issuer");
  return metadata.jwks_uri;
}

async function readJson(fetch: GuardedFetch, url: string): Promise<unknown> {
  const response = await fetch(url, {
    headers: { accept: "application/json" },
    redirect: "manual",
  });
  if (response.status === 200) return JSON.parse(await response.text());
  await response.body?.cancel();
  throw new Error(`Its server answered with status ${response.status}`);
}
