import type { HubFile, HubFileChange, HubFilePlugin } from "@hub/contract/hub-file.ts";
import type { Plugin } from "@hub/contract/plugin.ts";
import type { Actor } from "../../changes/actor.ts";
import {
  disablePlugin,
  enablePlugin,
  installPlugin,
  listPlugins,
} from "../plugins/manage-plugins.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { at } from "./apply-context.ts";
import type { ReadHubFile } from "./read-hub-file.ts";

type PluginDeps = Pick<ServiceDeps, "store" | "plugins" | "now">;

export type AppliedPlugins = {
  changes: HubFileChange[];
  /** Keys of plugins that are not installed: in a dry run, those that would be. */
  missing: ReadonlySet<string>;
};

/**
 * Installs the plugins that are missing, from their sources or the catalog, and enables or disables them.
 * Plugins are files, so this is no part of the transaction. None is removed: rows could need it.
 */
export async function applyPlugins(
  deps: PluginDeps,
  actor: Actor,
  { file, refuse }: Pick<ReadHubFile, "refuse"> & { file: Pick<HubFile, "plugins"> },
  { isDryRun, cwd }: { isDryRun: boolean; cwd: string },
): Promise<AppliedPlugins> {
  const { plugins = [] } = file;
  const changes: HubFileChange[] = [];
  const missing = new Set<string>();
  const installed = new Map((await listPlugins(deps)).map((plugin) => [plugin.key, plugin]));
  for (const [index, given] of plugins.entries()) {
    const place = ["plugins", index];
    await at({ refuse }, place, async () => {
      const present = installed.get(given.key);
      const fault = findVersionFault(given, present);
      if (present !== undefined && fault !== null) throw refuse([...place, "version"], fault);
      if (present === undefined) {
        changes.push(toChange(given, "install", [["version", null, given.version ?? "latest"]]));
        if (isDryRun) {
          missing.add(given.key);
          return;
        }
        const from = given.source === undefined ? place : [...place, "source"];
        const made = await at({ refuse }, from, () =>
          installPlugin(deps, actor, given.source ?? given.key, { cwd }),
        );
        const wrong =
          made.key === given.key
            ? findVersionFault(given, made)
            : `The source has the plugin "${made.key}".`;
        if (wrong !== null) throw refuse([...place, "source"], `${wrong} It is installed now.`);
      }
      const { enabled = present?.enabled ?? true } = given;
      if (enabled === (present?.enabled ?? true)) return;
      const switchPlugin = enabled ? enablePlugin : disablePlugin;
      if (!isDryRun) await switchPlugin(deps, actor, given.key);
      changes.push(toChange(given, "update", [["enabled", !enabled, enabled]]));
    });
  }
  return { changes, missing };
}

function findVersionFault({ key, version }: HubFilePlugin, present?: Plugin): string | null {
  if (version === undefined || present === undefined || present.version === version) return null;
  return `The plugin "${key}" has the version ${present.version}, and the file says ${version}. Install that version with \`hub plugin install\`, or write version: ${present.version}.`;
}

function toChange(
  { key }: HubFilePlugin,
  action: HubFileChange["action"],
  fields: readonly [string, unknown, unknown][],
): HubFileChange {
  return {
    action,
    kind: "plugin",
    name: key,
    id: null,
    fields: fields.map(([field, from, to]) => ({ field, from, to, secret: false })),
  };
}
