import type { TokenBounds } from "../../lib/call-bounds.ts";
import { intersectBounds } from "../../lib/intersect-bounds.ts";
import { createTrustedProxies } from "../../lib/network/trusted-proxies.ts";
import type { HotReads } from "../../store/database/hot-reads.ts";
import type { MachineClient } from "../../store/machines/machine-clients-table.ts";
import {
  listTrustedIssuers,
  type TrustedIssuer,
} from "../../store/machines/trusted-issuers-table.ts";
import { findIdentity } from "../../store/users/identities-table.ts";
import { useTokenId } from "../../store/users/used-token-ids.ts";
import { oauthScope, toResource, withoutLastSlash } from "../endpoints.ts";
import { authenticateClient, type ClientRequest } from "./authenticate-client.ts";
import { type IssueDeps, issueToken } from "./issue-token.ts";
import type { KeySets } from "./key-sets.ts";
import { meetsConditions } from "./match-conditions.ts";
import { TokenRefusal } from "./token-refusal.ts";
import {
  type UnverifiedAssertion,
  type VerifiedClaims,
  verifyAssertion,
} from "./verify-assertion.ts";

export type IdJagDeps = IssueDeps & {
  reads: Pick<HotReads, "findUserAccess">;
  keys: KeySets;
};

/** The type of an Identity Assertion JWT Authorization Grant. */
export const idJagType = "oauth-id-jag+jwt";

const tokenMs = 60 * 60_000;
const lifetimeSecondsMax = 3_600;

/**
 * Enterprise-managed authorization: a company's provider has signed that this user uses this client here. It opens the hub
 * for a user who exists, without a page. The client authenticates, and each assertion is used once.
 */
export async function grantByIdJag(
  deps: IdJagDeps,
  assertion: UnverifiedAssertion,
  request: ClientRequest,
): Promise<Response> {
  const client = await authenticateClient(deps, request);
  const trusted = (await listTrustedIssuers(deps.db, { issuer: assertion.issuer })).filter(
    ({ kind }) => kind === "id_jag",
  );
  const { issuer, claims } = await verifyFor(deps, assertion, trusted);
  if (claims.client_id !== client.id) throw refuse("the assertion is for another client");
  checkResource(claims.resource, toResource(deps.baseUrl));
  checkScope(claims.scope);
  const { jti, iat } = claims;
  if (typeof jti !== "string" || jti === "") throw refuse("the assertion has no jti");
  if (iat === undefined) throw refuse("the assertion has no iat");
  const identity = await findIdentity(deps.db, { issuer: claims.iss, subject: claims.sub });
  const user = identity === null ? null : await deps.reads.findUserAccess(identity.userId);
  if (user?.kind !== "person" || user.status !== "active") {
    throw refuse("the user of the assertion does not exist here, or is not active");
  }
  const bounds = bindToBoth(client, issuer, request.ip);
  // Last: an assertion that was refused for another reason may be repaired and sent again.
  const used = { issuer: `id_jag:${claims.iss}`, id: jti, expiresAt: (claims.exp + 60) * 1000 };
  if (!(await useTokenId(deps.db, used))) throw refuse("the assertion was used before");
  return await issueToken(deps, {
    by: { kind: "issuer", id: issuer.id, clientId: client.id },
    userId: user.userId,
    clientId: client.id,
    name: client.name,
    bounds,
    expiresAt: Math.min(deps.now() + tokenMs, client.expiresAt ?? Number.POSITIVE_INFINITY),
  });
}

/** What both the client and the issuer may: neither widens the other. */
function bindToBoth(
  client: MachineClient,
  issuer: TrustedIssuer,
  ip: string | null,
): TokenBounds | null {
  const bounds = intersectBounds(client.bounds, issuer.bounds);
  if (bounds === "too_many") {
    throw refuse("the bounds of the client and of its issuer together have too many entries");
  }
  const addresses = bounds?.addresses;
  if (addresses !== undefined && (ip === null || !createTrustedProxies(addresses)(ip))) {
    throw refuse("the address of the client is not allowed");
  }
  return bounds;
}

/** For one of the registrations of its issuer. The audience is the hub's issuer, and no token endpoint. */
async function verifyFor(
  { keys, now, baseUrl }: IdJagDeps,
  { text, issuer }: UnverifiedAssertion,
  known: readonly TrustedIssuer[],
): Promise<{ issuer: TrustedIssuer; claims: VerifiedClaims }> {
  let failure: unknown = refuse("the issuer of the assertion is not trusted");
  for (const trusted of known) {
    const find = (isRenewed: boolean) => keys.find(trusted, { isRenewed });
    const expected = { issuer, audiences: [baseUrl], now: now(), lifetimeSecondsMax };
    try {
      const claims = await verifyAssertion(text, find, expected);
      if (meetsConditions(claims, trusted.conditions)) return { issuer: trusted, claims };
      failure = refuse("the assertion does not meet the conditions of its issuer");
    } catch (thrown) {
      failure = thrown;
    }
  }
  throw failure;
}

/** It must name the hub's resource, and no other. */
function checkResource(named: unknown, resource: string): void {
  const list: readonly unknown[] = Array.isArray(named) ? named : [named];
  const isOwn = list.length > 0 && list.every((one) => withoutLastSlash(String(one)) === resource);
  if (!isOwn) throw refuse("the assertion is not for the resource of this server");
}

function checkScope(scope: unknown): void {
  if (scope === undefined) return;
  if (typeof scope === "string" && scope.split(" ").includes(oauthScope)) return;
  throw new TokenRefusal("invalid_scope", "the assertion does not have the scope mcp");
}

function refuse(description: string): TokenRefusal {
  return new TokenRefusal("invalid_grant", description);
}
