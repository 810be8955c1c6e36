import { type Configuration, fetchUserInfo } from "openid-client";
import { readGroupClaim } from "../groups/read-group-claim.ts";

export type Claims = Readonly<Record<string, unknown>>;

/** The claims of `/userinfo` for this subject. Null if the issuer has no such endpoint. */
export async function askUserInfo(
  configuration: Configuration,
  accessToken: string,
  subject: string,
): Promise<Claims | null> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return null;
  return await fetchUserInfo(configuration, accessToken, subject);
}

/** Whether the groups may be at `/userinfo`, because these claims do not have them. */
export function lacksGroups(claims: Claims, groupsClaim: string | null): boolean {
  if (groupsClaim === null) return false;
  const { names, ...read } = readGroupClaim(claims, groupsClaim);
  return names === null && "problem" in read && read.problem === "missing";
}
