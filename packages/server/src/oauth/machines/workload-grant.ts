import { createTrustedProxies } from "../../lib/network/trusted-proxies.ts";
import type { HotReads } from "../../store/database/hot-reads.ts";
import {
  listTrustedIssuers,
  type TrustedIssuer,
} from "../../store/machines/trusted-issuers-table.ts";
import { oauthPaths } from "../endpoints.ts";
import type { ClientRequest } from "./authenticate-client.ts";
import { type IssueDeps, issueToken } from "./issue-token.ts";
import type { KeySets } from "./key-sets.ts";
import { meetsConditions } from "./match-conditions.ts";
import { TokenRefusal } from "./token-refusal.ts";
import {
  type UnverifiedAssertion,
  type VerifiedClaims,
  verifyAssertion,
} from "./verify-assertion.ts";

export type WorkloadDeps = IssueDeps & {
  reads: Pick<HotReads, "findUserAccess">;
  keys: KeySets;
};

const tokenMsMax = 60 * 60_000;
/** Platforms make tokens for a job, some for a day. The hub's own one is shorter. */
const lifetimeSecondsMax = 2 * 24 * 3_600;
/** Registrations of one issuer, such as one for each repository. */
const triedMax = 200;

/**
 * RFC 7523, section 2.1: the platform of a program has signed what the program is, and a registration says which service
 * user that is. The hub's token ends with the assertion.
 */
export async function grantByWorkload(
  deps: WorkloadDeps,
  assertion: UnverifiedAssertion,
  { params, ip }: ClientRequest,
): Promise<Response> {
  const { issuer } = assertion;
  const named = params.get("client_id");
  const known = (await listTrustedIssuers(deps.db, { issuer }))
    .filter(({ kind, id }) => kind === "workload" && (named === undefined || named === id))
    .slice(0, triedMax);
  if (known.length === 0) throw refuse("the issuer of the assertion is not trusted");
  const { trusted, claims } = await findMatch(deps, assertion, known);
  const addresses = trusted.bounds?.addresses;
  if (addresses !== undefined && (ip === null || !createTrustedProxies(addresses)(ip))) {
    throw refuse("the address of the client is not allowed");
  }
  const userId = trusted.userId ?? "";
  const user = await deps.reads.findUserAccess(userId);
  if (user?.kind !== "service" || user.status !== "active") {
    throw refuse("the service user is not active");
  }
  return await issueToken(deps, {
    by: { kind: "issuer", id: trusted.id },
    userId,
    clientId: trusted.id,
    name: trusted.name,
    bounds: trusted.bounds,
    expiresAt: Math.min(claims.exp * 1000, deps.now() + tokenMsMax),
  });
}

/** The only registration whose keys, audience and conditions the assertion meets. */
async function findMatch(
  { keys, now, baseUrl }: WorkloadDeps,
  { text, issuer }: UnverifiedAssertion,
  known: readonly TrustedIssuer[],
): Promise<{ trusted: TrustedIssuer; claims: VerifiedClaims }> {
  const matches: { trusted: TrustedIssuer; claims: VerifiedClaims }[] = [];
  let failure: unknown = refuse("the assertion meets the conditions of no registration");
  // Most have the same keys and the same audience: one signature is verified once.
  const verified = new Map<string, Promise<VerifiedClaims>>();
  for (const trusted of known) {
    const audience = trusted.audience ?? `${baseUrl}${oauthPaths.token}`;
    const expected = { issuer, audiences: [audience], now: now(), lifetimeSecondsMax };
    const name = `${trusted.jwksUri ?? ""} ${audience}`;
    const verifying =
      verified.get(name) ??
      verifyAssertion(text, (isRenewed) => keys.find(trusted, { isRenewed }), expected);
    verified.set(name, verifying);
    try {
      const claims = await verifying;
      if (meetsConditions(claims, trusted.conditions)) matches.push({ trusted, claims });
    } catch (thrown) {
      failure = thrown;
    }
  }
  const [match, ...others] = matches;
  if (match === undefined) throw failure;
  if (others.length === 0) return match;
  throw refuse(
    "the assertion meets the conditions of several registrations: name one by client_id",
  );
}

function refuse(description: string): TokenRefusal {
  return new TokenRefusal("invalid_grant", description);
}
