import { join } from "node:path";
import type { PluginForm } from "@hub/contract/plugin.ts";
import { takeBuiltPlugin } from "./build-once.ts";

/**
 * Builds plugins of this checkout for this machine, and writes a catalog of them in `folder`. Returns the
 * value for HUB_PLUGIN_CATALOG. Does not change the checkout's `.plugins`, which others may use.
 */
export async function buildPluginCatalog(
  keys: readonly string[],
  folder: string,
  kind?: PluginForm,
): Promise<string> {
  const catalog = join(folder, "plugins.json");
  const built = await Promise.all(keys.map((key) => takeBuiltPlugin(key, folder, kind)));
  await Bun.write(catalog, JSON.stringify(built.flatMap(({ entries }) => entries)));
  return catalog;
}
