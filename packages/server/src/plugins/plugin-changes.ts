import type { Db } from "../store/database/database.ts";
import {
  listDisabledPlugins,
  recordPluginChange,
  setPluginState,
} from "../store/plugins/plugin-states.ts";
import type { UploadedArchive } from "./install/find-install-source.ts";
import type { InstallOptions } from "./install/install-plugin.ts";
import type { PluginFolders } from "./installed/plugin-folders.ts";
import type { PluginInventory } from "./installed/plugin-inventory.ts";
import type { ProgramRecords } from "./installed/program-records.ts";
import { pruneVersions } from "./installed/prune-versions.ts";
import { removeFiles } from "./installed/remove-files.ts";
import type { RemovedPlugins } from "./installed/removed-plugins.ts";
import type { PluginHost } from "./plugin-host-port.ts";
import type { SharedInstalls } from "./shared-installs.ts";
import type { PluginState } from "./sync-registry.ts";

type ChangeDeps = {
  db: Db;
  now(): number;
  createId(): string;
  folders: PluginFolders;
  inventory: PluginInventory;
  installs: SharedInstalls;
  removed: RemovedPlugins;
  records: Pick<ProgramRecords, "delete">;
  /** Verifies the plugin and puts its files into the folder. */
  installFiles(source: string | UploadedArchive, options: InstallOptions): Promise<{ key: string }>;
};

/** What admins do to plugins. The registry has followed when a change resolves. */
export function createPluginChanges(
  deps: ChangeDeps,
): Pick<PluginHost, "install" | "enable" | "disable" | "remove"> {
  const { db, now, createId, folders, installs, removed, records } = deps;
  const { find, findWithData, list, sync } = deps.inventory;

  const setDisabled = async (key: string, disabled: boolean): Promise<PluginState> => {
    await find(key);
    await setPluginState(db, key, disabled);
    await sync();
    return await find(key);
  };

  /** A plugin that was disabled and removed is enabled when it is installed again. */
  const enableFresh = async (key: string): Promise<void> => {
    if ((await listDisabledPlugins(db)).has(key)) await setPluginState(db, key, false);
  };

  return {
    async install(source, options) {
      const before = new Set((await list()).map(({ key }) => key));
      const { key } = await deps.installFiles(source, options);
      // An update does not enable a disabled plugin.
      if (!before.has(key)) await enableFresh(key);
      await pruneVersions(folders, now());
      await sync();
      const state = await find(key);
      // Last, because a running hub that watches the folder has verified the plugin by then.
      await recordPluginChange(db);
      return state;
    },
    enable: (key) => setDisabled(key, false),
    disable: (key) => setDisabled(key, true),
    async remove(key, { withData = false } = {}) {
      const state = withData ? await findWithData(key) : await find(key);
      await removed.record(key, await installs.findInstalled(key));
      await installs.withdraw(key);
      await removeFiles(folders, { key, id: createId(), withData });
      await enableFresh(key);
      await sync();
      await records.delete(key);
      await recordPluginChange(db);
      return state;
    },
  };
}
