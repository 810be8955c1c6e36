import type { Plugin, PluginForm, PluginOffer } from "@hub/contract/plugin.ts";
import type { CatalogEntry } from "@hub/contract/plugin-catalog.ts";
import { isThin } from "@hub/contract/plugin-manifest.ts";
import { findConnectorLogo } from "../../connectors/logos/find-logo.ts";
import { isNewerVersion } from "../../plugins/install/check-version.ts";
import { chooseBuild, type ThisHub } from "../../plugins/installed/choose-build.ts";
import type { PluginState } from "../../plugins/sync-registry.ts";

export function toOffer(
  thisHub: ThisHub,
  entry: CatalogEntry,
  installedVersion: string | null,
): PluginOffer {
  const { key, name, description, version, assets } = entry;
  const platform = chooseBuild(thisHub, entry);
  return {
    key,
    name,
    logo: findConnectorLogo({ key, name }),
    description,
    version,
    platforms: Object.keys(assets).sort(),
    available: platform !== null,
    form: platform === null ? null : toForm([platform]),
    installed_version: installedVersion,
    update_available: installedVersion !== null && isNewerVersion(version, installedVersion),
  };
}

function toForm(platforms: string[]): PluginForm {
  return isThin({ os_arch: platforms }) ? "thin" : "standalone";
}

export function toPlugin(state: PluginState): Plugin {
  const { key, plugin, enabled, problem, refusedVersion = null, ...sharing } = state;
  const meta = plugin?.manifest.module.Meta;
  return {
    key,
    name: meta?.Name || key,
    logo: findConnectorLogo({ key, name: meta?.Name ?? "", icon: meta?.Icon ?? "" }),
    description: meta?.Description ?? "",
    version: plugin?.version ?? null,
    refused_version: refusedVersion,
    platforms: plugin?.manifest.os_arch ?? [],
    form: plugin === null ? null : toForm(plugin.manifest.os_arch),
    proto_version: plugin?.manifest.proto_version ?? null,
    signature: plugin?.signature ?? null,
    enabled,
    problem,
    awaited_version: sharing.awaitedVersion,
    only_here: sharing.isOnlyHere,
    note: sharing.note,
  };
}

/** The version that is installed, on all servers if there are several. */
export function findInstalledVersion({ awaitedVersion, plugin }: PluginState): string | null {
  return awaitedVersion ?? plugin?.version ?? null;
}
