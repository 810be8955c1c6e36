import { isJsonObject, type Json } from "@hub/connector";
import { isNoise } from "./noise.ts";
import { findSummary } from "./summary.ts";

/**
 * Reduces the host's JSON by these rules, which docs/guide/codehost.md lists in the same order:
 *
 * 1. Null, and empty texts, lists and objects are removed. `false` and `0` are kept.
 * 2. Addresses of the API are removed: `url`, every `*_url`, and names that begin with `_`. Exceptions are
 *    `clone_url`, `browser_download_url`, `submodule_git_url`, a webhook's `config.url`, and the
 *    `html_url` of the object itself, but not of nested objects.
 * 3. Members that only the API uses are removed: `noise.ts` lists their names.
 * 4. A nested object is replaced by the member that names it: a user by `login`, a repository by
 *    `full_name`, a label by `name`; `summary.ts` lists them.
 * 5. `id` is removed if `number`, `full_name` or `login` names the object.
 *
 * An issue that is a pull request keeps `pull_request` with its `merged_at`.
 */
export function trim(thing: Json): Json {
  if (!isJsonObject(thing)) return thing;
  return trimMembers(thing, true);
}

function trimMembers(thing: Record<string, Json>, isOutermost: boolean): Record<string, Json> {
  const kept: Array<[string, Json]> = [];
  for (const [name, value] of Object.entries(thing)) {
    if (name === "pull_request" && isJsonObject(value)) {
      kept.push([name, keepState(value)]);
      continue;
    }
    if (isNoise(name, thing, isOutermost)) continue;
    const small = trimInner(name, value);
    if (!isEmpty(small)) kept.push([name, small]);
  }
  return Object.fromEntries(kept);
}

/** Keeps only `merged_at`, which is null before the merge. The other members are addresses. */
function keepState(pull: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(pull).filter(([name]) => !isNoise(name, pull, false)));
}

function trimInner(name: string, value: Json): Json {
  if (Array.isArray(value)) {
    return value.map((item) => trimInner(name, item)).filter((item) => !isEmpty(item));
  }
  if (!isJsonObject(value)) return value;
  // The settings of a webhook. Its `url` is not an address of the API.
  if (name === "config") return value;
  const summary = findSummary(name, value);
  return summary === undefined ? trimMembers(value, false) : summary;
}

function isEmpty(value: Json): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
