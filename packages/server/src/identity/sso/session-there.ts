import { type ReadGroups, readGroupClaim } from "../groups/read-group-claim.ts";
import type { Claims } from "./ask-user-info.ts";

/** The person's session at the provider, as the hub keeps it. */
export type SessionThere = {
  /** The provider's name of the session; null if it sent none. */
  sid: string | null;
  /** When the person entered there who they are, epoch ms; null if the provider does not say. */
  provedAt: number | null;
  /** Null if the hub reads no groups. */
  groups: ReadGroups | null;
  /** A function, so that printing never shows the token. Null if the provider gave none. */
  readRefreshToken: (() => string) | null;
};

const sidCharsMax = 255;

/** What the answer of the token endpoint, with the claims of its ID token and of `/userinfo`, says of the session. */
export function readSessionThere({
  tokens: { refresh_token: refreshToken },
  claims,
  userInfo,
  groupsClaim,
}: {
  tokens: { refresh_token?: string | undefined };
  claims: Claims;
  userInfo: Claims | null;
  groupsClaim: string | null;
}): SessionThere {
  const { sid, auth_time: provedAtS } = claims;
  return {
    sid: typeof sid === "string" && sid !== "" && sid.length <= sidCharsMax ? sid : null,
    provedAt: typeof provedAtS === "number" ? provedAtS * 1000 : null,
    groups: readGroups({ claims, userInfo, groupsClaim }),
    readRefreshToken: refreshToken === undefined ? null : () => refreshToken,
  };
}

/**
 * The groups of the ID token, else those of `/userinfo`. Null if the hub reads none, or there are neither: an answer without any
 * claims says nothing of the groups.
 */
export function readGroups({
  claims,
  userInfo,
  groupsClaim,
}: {
  claims: Claims | null;
  userInfo: Claims | null;
  groupsClaim: string | null;
}): ReadGroups | null {
  if (groupsClaim === null || (claims === null && userInfo === null)) return null;
  const inToken: ReadGroups =
    claims === null ? { names: null, problem: "missing" } : readGroupClaim(claims, groupsClaim);
  const isMissing = inToken.names === null && inToken.problem === "missing";
  return isMissing && userInfo !== null ? readGroupClaim(userInfo, groupsClaim) : inToken;
}
