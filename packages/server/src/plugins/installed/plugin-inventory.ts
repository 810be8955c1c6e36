import { lstat } from "node:fs/promises";
import { suggest } from "@hub/connector";
import { pluginKeyPattern } from "@hub/contract/plugin-manifest.ts";
import { HubError } from "../../errors.ts";
import { type PluginState, type RegistrySync, unshared } from "../sync-registry.ts";
import type { PluginFolders } from "./plugin-folders.ts";

/** Every plugin that is there, and the registry that follows them. */
export type PluginInventory = {
  /** Updates the registry to the installed and enabled plugins. */
  sync(): Promise<PluginState[]>;
  /** Waits for the updates under way. */
  untilIdle(): Promise<void>;
  list(): Promise<PluginState[]>;
  /** Throws `not_found`. */
  find(key: string): Promise<PluginState>;
  /** Like `find`, also for a plugin that was removed but left its data. */
  findWithData(key: string): Promise<PluginState>;
};

export function createPluginInventory(
  folders: PluginFolders,
  registrySync: RegistrySync,
): PluginInventory {
  // One at a time: two at once would both register a new plugin.
  let last: Promise<unknown> = Promise.resolve();
  const sync = (): Promise<PluginState[]> => {
    const next = last.then(registrySync.run);
    last = next.catch(() => {});
    return next;
  };
  const { list } = registrySync;

  const find = async (key: string): Promise<PluginState> => {
    const states = await list();
    const state = states.find((each) => each.key === key);
    if (state !== undefined) return state;
    const keys = states.map((each) => each.key);
    throw new HubError("not_found", `No plugin "${key}" is installed.${suggest(key, keys)}`);
  };

  const findWithData = async (key: string): Promise<PluginState> => {
    // Only valid keys may be used in a path.
    const home = pluginKeyPattern.test(key) ? folders.homeOf(key) : null;
    const hasData = home !== null && (await lstat(home).catch(() => null)) !== null;
    const isThere = (await list()).some((state) => state.key === key);
    if (isThere || !hasData) return await find(key);
    return { key, plugin: null, enabled: false, problem: null, ...unshared };
  };

  return {
    sync,
    async untilIdle() {
      await last;
    },
    list,
    find,
    findWithData,
  };
}
