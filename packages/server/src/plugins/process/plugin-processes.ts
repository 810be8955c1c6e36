import type { Timers } from "../../lib/time/timers.ts";
import type { Fence } from "../fence/fence.ts";
import type { InstalledPlugin } from "../installed/installed-plugin.ts";
import type { Log } from "./plugin-log.ts";
import { createPluginPool, type PluginProcessPool } from "./pool.ts";
import { createProcessGuard } from "./process-guard.ts";
import { startPlugin } from "./start-plugin.ts";

export type ProcessesDeps = {
  log: Log;
  timers: Timers;
  fence: Fence;
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
  const guard = createProcessGuard(deps);
  const pool = createPluginPool({
    ...deps,
    start: (plugin, signal) => startPlugin({ ...deps, ...guard }, plugin, signal),
  });
  return {
    call: (plugin, signal, use) => pool.call(plugin, signal, use),
    drainAndReplace: (key, next) => pool.drainAndReplace(key, next),
    list: () => pool.list(),
    async stopAll() {
      await pool.stopAll();
      await guard.close();
    },
  };
}
