import { isJsonObject, type Json } from "@hub/connector";
import { isNoise } from "./noise.ts";
import { findSummary } from "./summary.ts";

/**
 * Makes the host's JSON small. The rule, which docs/guide/codehost.md states in the same order:
 *
 * 1. What is null, or an empty text, list or object, is left out. `false` and `0` stay.
 * 2. Addresses of the API are left out: `url`, every `*_url`, and names that begin with `_`. Kept are
 *    `clone_url`, `browser_download_url`, `submodule_git_url`, a webhook's `config.url`, and the
 *    `html_url` of the thing itself, not those of things inside it.
 * 3. What only the API itself uses is left out: `noise.ts` lists the names.
 * 4. What stands inside another thing becomes the one member that names it: a user its `login`, a
 *    repository its `full_name`, a label its `name`; `summary.ts` lists them.
 * 5. `id` is left out where `number`, `full_name` or `login` names the thing.
 *
 * `pull_request` stays on an issue that is one, with its `merged_at`.
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

/** `merged_at` is null on one that is not merged; of the rest only addresses are there. */
function keepState(pull: Record<string, Json>): Record<string, Json> {
  return Object.fromEntries(Object.entries(pull).filter(([name]) => !isNoise(name, pull, false)));
}

function trimInner(name: string, value: Json): Json {
  if (Array.isArray(value)) {
    return value.map((item) => trimInner(name, item)).filter((item) => !isEmpty(item));
  }
  if (!isJsonObject(value)) return value;
  // The settings of a webhook: its `url` is no address of the API.
  if (name === "config") return value;
  const summary = findSummary(name, value);
  return summary === undefined ? trimMembers(value, false) : summary;
}

function isEmpty(value: Json): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
