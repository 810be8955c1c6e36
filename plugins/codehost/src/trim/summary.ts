import { isJsonObject, type Json } from "@hub/connector";

/**
 * The member that replaces a nested object: see `trim`. Undefined for an object without such a member, which
 * is kept unchanged.
 */
export function findSummary(name: string, thing: Readonly<Record<string, Json>>): Json {
  const known = Object.hasOwn(namedBy, name) ? namedBy[name] : undefined;
  const member = known?.find((each) => thing[each] !== undefined && thing[each] !== null);
  if (known !== undefined && member !== undefined) return toCount(name, thing[member]);
  if (typeof thing.full_name === "string") return thing.full_name;
  if (typeof thing.login === "string") return thing.login;
  if (typeof thing.ref === "string" && typeof thing.sha === "string") return toBranch(thing);
  return undefined;
}

/** The members by the name of the nested object. */
const namedBy: Record<string, string[]> = {
  labels: ["name"],
  milestone: ["title"],
  license: ["spdx_id", "name"],
  type: ["name"],
  requested_teams: ["slug"],
  parents: ["sha"],
  base_commit: ["sha"],
  merge_base_commit: ["sha"],
  pull_requests: ["number"],
  verification: ["verified"],
  reactions: ["total_count"],
};

/** Zero reactions are omitted. */
function toCount(name: string, value: Json): Json {
  return name === "reactions" && value === 0 ? null : value;
}

/** One side of a pull request. Its repository is null if the fork was deleted. */
function toBranch({ ref, sha, repo }: Readonly<Record<string, Json>>): Json {
  const isRepo = isJsonObject(repo) && typeof repo.full_name === "string";
  return { ref, sha, ...(isRepo && { repo: repo.full_name }) };
}
