import { isJsonObject, type Json } from "@hub/connector";

/**
 * The one member that stands for a thing inside another: see `trim`. Undefined for what has none,
 * which is then kept as it is.
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

/** By the name under which the thing stands. */
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

/** No reaction is nothing to tell. */
function toCount(name: string, value: Json): Json {
  return name === "reactions" && value === 0 ? null : value;
}

/** One side of a pull request; its repository is null once the fork is deleted. */
function toBranch({ ref, sha, repo }: Readonly<Record<string, Json>>): Json {
  const isRepo = isJsonObject(repo) && typeof repo.full_name === "string";
  return { ref, sha, ...(isRepo && { repo: repo.full_name }) };
}
