import type { Config } from "../config.ts";
import { listPluginNames, toPluginFolders } from "../plugins/plugin-folders.ts";
import { listPluginInstalls } from "../store/plugin-installs.ts";
import type { Store } from "../store/store.ts";

/** Built-in connectors that came when plugins could already have their keys. */
const laterKeys = ["mcp", "openapi", "workflow", "workflow_tool"];

/**
 * Keys of built-in connectors that installed plugins had first. Such a plugin keeps its rows: the
 * built-in connector would read their settings as its own. It is refused at its next install.
 */
export async function findKeptKeys(config: Config, store: Store): Promise<ReadonlySet<string>> {
  const names = store.isShared
    ? (await listPluginInstalls(store.db)).map(({ key }) => key)
    : await listPluginNames(toPluginFolders(config.dataDir));
  return new Set(laterKeys.filter((key) => names.includes(key)));
}
