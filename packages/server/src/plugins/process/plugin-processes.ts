import type { Timers } from "../../lib/timers.ts";
import type { InstalledPlugin } from "../installed-plugin.ts";
import type { Log } from "./plugin-log.ts";
import { createPluginPool, type PluginProcessPool } from "./pool.ts";
import { createRuntimeFolder, type RuntimeFolder } from "./runtime-folder.ts";
import { startPlugin } from "./start-plugin.ts";
import { sweepLeftovers } from "./sweep-leftovers.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

export type ProcessesDeps = {
  log: Log;
  timers: Timers;
  /** The hub's environment; a plugin gets a few of its variables. */
  env: Readonly<Record<string, string | undefined>>;
  /** The machine's folder for temporary files. */
  systemTmp: string;
  procsMax: number;
  toHomeDir(plugin: InstalledPlugin): string;
  checkUnchanged(plugin: InstalledPlugin): Promise<void>;
  idleMs?: number;
};

/** The process pool with its runtime folder and watchdog; `stopAll` removes all of it. */
export function createPluginProcesses(deps: ProcessesDeps): PluginProcessPool {
  let folder: RuntimeFolder | null = null;
  let watchdog: Watchdog | null = null;
  const pool = createPluginPool({
    ...deps,
    start: (plugin, signal) =>
      startPlugin(
        {
          ...deps,
          // Both are created for the first plugin, because most commands start none.
          runtimeFolder() {
            folder ??= openRuntimeFolder(deps);
            return folder;
          },
          watchdog() {
            watchdog ??= createWatchdog();
            return watchdog;
          },
        },
        plugin,
        signal,
      ),
  });
  return {
    ...pool,
    async stopAll() {
      await pool.stopAll();
      await watchdog?.stop();
      folder?.remove();
    },
  };
}

function openRuntimeFolder(deps: ProcessesDeps): RuntimeFolder {
  sweepLeftovers(deps, deps.systemTmp);
  return createRuntimeFolder(deps.systemTmp);
}
