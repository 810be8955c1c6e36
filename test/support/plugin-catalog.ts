import { join } from "node:path";
import { takeBuiltPlugin } from "./build-once.ts";

/**
 * Takes plugins of this checkout, built for this machine, and lists them in a catalog in `folder`: the
 * value for HUB_PLUGIN_CATALOG. The checkout's own `.plugins` is left alone: others may be using it.
 */
export async function buildPluginCatalog(keys: readonly string[], folder: string): Promise<string> {
  const catalog = join(folder, "plugins.json");
  const built = await Promise.all(keys.map((key) => takeBuiltPlugin(key, folder)));
  await Bun.write(catalog, JSON.stringify(built.flatMap(({ entries }) => entries)));
  return catalog;
}
