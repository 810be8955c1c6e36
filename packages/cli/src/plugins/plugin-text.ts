import type { Plugin, PluginOffer, PluginSearch, PluginUpdate } from "@hub/contract/plugin.ts";
import { table } from "../declare/view.ts";
import { toFacts, toPrintable } from "../text/table.ts";

/** What an update did, in a sentence. */
export function toUpdateText({ key, version, previous_version, updated }: PluginUpdate): string {
  return updated
    ? `Updated ${key} to ${version}; it was ${previous_version ?? "broken"}.`
    : `${key} ${version} is up to date.`;
}

/** The plugins in a line each, and below why some are refused. */
export function toPluginList(plugins: readonly Plugin[]): string {
  const refusals = plugins.flatMap(({ key, problem, ...plugin }) => {
    const version = plugin.version ?? plugin.refused_version;
    const name = version === null ? key : `${key} ${version}`;
    return problem === null ? [] : [`${name}: ${toPrintable(problem)}`];
  });
  return [toPluginTable(plugins), ...refusals].join("\n\n");
}

const toPluginTable = table<Plugin>(
  [
    ["plugin", "key"],
    ["version", toVersion],
    ["arch", "platforms"],
    "signature",
    ["state", toState],
  ],
  "No plugins are installed.",
);

function toVersion({ version, refused_version }: Plugin): string | null {
  return version ?? refused_version;
}

function toState({
  problem,
  enabled,
  version,
  awaited_version: awaited,
  only_here,
}: Plugin): string {
  if (awaited !== null && version === null) return `${awaited} awaited`;
  if (problem !== null) return "refused";
  const state = enabled ? "enabled" : "disabled";
  if (awaited !== null) return `${state}, ${awaited} awaited`;
  return only_here ? `${state}, this server only` : state;
}

/** One plugin with all that is known of it. */
export function toPluginFacts(plugin: Plugin): string {
  return toFacts([
    ["plugin", plugin.key],
    ["name", plugin.name],
    ["description", plugin.description],
    ["version", toVersion(plugin)],
    ["arch", plugin.platforms.join(", ")],
    ["form", plugin.form],
    ["protocol", plugin.proto_version],
    ["signature", plugin.signature],
    ["state", toState(plugin)],
    ...(plugin.problem === null ? [] : [["problem", plugin.problem] satisfies [string, string]]),
    ...(plugin.note === null ? [] : [["note", plugin.note] satisfies [string, string]]),
  ]);
}

/** The plugins of a catalog, in a line each. */
export function toSearchText({ plugins, stale_since }: PluginSearch): string {
  const text = toOfferTable(plugins);
  return stale_since === null
    ? text
    : `The catalog cannot be downloaded now. This copy is from ${stale_since}.\n\n${text}`;
}

const toOfferTable = table<PluginOffer>(
  [["plugin", "key"], "version", ["installed", toInstalled], "description"],
  "The catalog has no such plugin.",
);

function toInstalled(offer: PluginOffer): string {
  if (offer.installed_version === null) return offer.available ? "" : "no build for this machine";
  return offer.update_available
    ? `${offer.installed_version}, update available`
    : offer.installed_version;
}
