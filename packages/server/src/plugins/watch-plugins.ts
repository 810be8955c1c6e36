import { type FSWatcher, watch } from "node:fs";

export type PluginWatch = {
  start(): void;
  /** Ends the watch and waits for a running sync. */
  stop(): Promise<void>;
};

type WatchDeps = {
  folder: string;
  everyMs: number;
  /** Runs one at a time. */
  sync(): Promise<unknown>;
  onFailure(failure: unknown): void;
};

/** Delay that combines the several changes of an install into one sync. */
const quietMs = 50;

/**
 * Syncs when files in the plugins folder change, and every two seconds: watches fail on some file
 * systems, and a folder that was copied there by hand changes no revision.
 */
export function watchPlugins(deps: WatchDeps): PluginWatch {
  let watcher: FSWatcher | null = null;
  let timer: Timer | null = null;
  let delayed: Timer | null = null;
  let running: Promise<void> | null = null;
  let isRequestedAgain = false;

  function look(): void {
    if (running !== null) {
      isRequestedAgain = true;
      return;
    }
    running = deps
      .sync()
      .then(() => {})
      .catch(deps.onFailure)
      .finally(() => {
        running = null;
        if (isRequestedAgain) {
          isRequestedAgain = false;
          look();
        }
      });
  }

  function openWatcher(): void {
    if (watcher !== null) return;
    try {
      watcher = watch(deps.folder, () => {
        if (delayed !== null) return;
        delayed = setTimeout(() => {
          delayed = null;
          look();
        }, quietMs);
        delayed.unref();
      });
      watcher.on("error", closeWatcher);
      watcher.unref();
    } catch {
      // The folder does not exist before the first install; the next poll tries again.
      watcher = null;
    }
  }

  function closeWatcher(): void {
    watcher?.close();
    watcher = null;
  }

  return {
    start() {
      openWatcher();
      timer = setInterval(() => {
        openWatcher();
        look();
      }, deps.everyMs);
      // The watch must not keep the process alive.
      timer.unref();
    },
    async stop() {
      if (timer !== null) clearInterval(timer);
      if (delayed !== null) clearTimeout(delayed);
      closeWatcher();
      isRequestedAgain = false;
      await running;
    },
  };
}
