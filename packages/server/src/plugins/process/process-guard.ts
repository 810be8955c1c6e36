import type { Log } from "./plugin-log.ts";
import { createRuntimeFolder, type RuntimeFolder } from "./runtime-folder.ts";
import { createWatchdog, type Watchdog } from "./watchdog.ts";

/** What ends processes with the hub, and their files. Made for the first process. */
export type ProcessGuard = {
  runtimeFolder(): RuntimeFolder;
  watchdog(): Watchdog;
  close(): Promise<void>;
};

type GuardDeps = {
  log: Log;
  /** The machine's folder for temporary files. */
  systemTmp: string;
};

export function createProcessGuard(deps: GuardDeps): ProcessGuard {
  let folder: RuntimeFolder | null = null;
  let watchdog: Watchdog | null = null;
  const runtimeFolder = () => {
    folder ??= createRuntimeFolder(deps.systemTmp);
    return folder;
  };
  return {
    runtimeFolder,
    watchdog() {
      watchdog ??= createWatchdog(runtimeFolder().mark);
      return watchdog;
    },
    async close() {
      await watchdog?.stop();
      folder?.remove();
    },
  };
}
