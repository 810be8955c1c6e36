import { groupNameCharsMax, groupsMax } from "./group-line.ts";

/**
 * Why the groups of a user are not known. `overage`: the provider left them out of the token because they are
 * too many. `missing`: its tokens have no such claim. `malformed`: the claim is not a list of names.
 * `too_many`: more than the hub reads. `failed`: the provider did not answer.
 */
export type GroupsProblem = "overage" | "missing" | "malformed" | "too_many" | "failed";

/** The groups that a provider names, or why they are not known. Only known groups change anything. */
export type ReadGroups =
  | { names: readonly string[]; leftOut: number }
  | { names: null; problem: GroupsProblem };

/**
 * The groups in the claims of an ID token or of `/userinfo`. `claim` is the name of a member, or a path with dots
 * such as `realm_access.roles`. `leftOut` counts names that are empty, too long or not of one line.
 */
export function readGroupClaim(
  claims: Readonly<Record<string, unknown>>,
  claim: string,
): ReadGroups {
  if (isLeftOut(claims, claim)) return { names: null, problem: "overage" };
  const value = findClaim(claims, claim);
  if (value === undefined || value === null) return { names: null, problem: "missing" };
  const given: unknown = typeof value === "string" ? [value] : value;
  if (!Array.isArray(given)) return { names: null, problem: "malformed" };
  // A part of a list could lack the group that refuses the user, so a list that is too long says nothing.
  if (given.length > groupsMax) return { names: null, problem: "too_many" };
  const texts = given.filter((name) => typeof name === "string");
  if (texts.length < given.length) return { names: null, problem: "malformed" };
  const names = [...new Set(texts.filter(isName))];
  return { names, leftOut: new Set(texts).size - names.length };
}

/** A member may have dots in its name, as those that are addresses have, so the whole name is tried first. */
function findClaim(claims: Readonly<Record<string, unknown>>, claim: string): unknown {
  if (Object.hasOwn(claims, claim)) return claims[claim];
  let value: unknown = claims;
  for (const part of claim.split(".")) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    value = Object.hasOwn(value, part) ? Reflect.get(value, part) : undefined;
  }
  return value;
}

/**
 * Whether the provider says that the claim would be too large: OpenID Connect Core 5.6.2, as Entra sends it for
 * more than 200 groups, and `hasgroups` in tokens that came in an address.
 */
function isLeftOut(claims: Readonly<Record<string, unknown>>, claim: string): boolean {
  const { _claim_names: elsewhere, hasgroups } = claims;
  const [member = ""] = Object.hasOwn(claims, claim) ? [claim] : claim.split(".");
  if (typeof elsewhere === "object" && elsewhere !== null && Object.hasOwn(elsewhere, member)) {
    return true;
  }
  return member === "groups" && (hasgroups === true || hasgroups === "true");
}

function isName(name: string): boolean {
  return (
    name !== "" &&
    name.length <= groupNameCharsMax &&
    name.isWellFormed() &&
    /^\P{Cc}*$/u.test(name)
  );
}
