import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/timers.ts";
import type { InstalledPlugin } from "../installed-plugin.ts";
import {
  checkPresent,
  createPluginSlot,
  noteCrash,
  type PluginSlot,
  waitOutBackOff,
} from "./plugin-slot.ts";
import { createPooledProcess, type PooledProcess } from "./pooled-process.ts";
import { createProcessSlots, type ProcessPlace } from "./process-slots.ts";
import { describeExit, type ExitInfo } from "./spawn-plugin.ts";
import { createStartLine } from "./start-line.ts";
import type { Log, PluginProcess } from "./start-plugin.ts";

export type PoolDeps = {
  timers: Timers;
  log: Log;
  /** Gives up, and leaves nothing behind, when the signal aborts. */
  start(plugin: InstalledPlugin, signal: AbortSignal): Promise<PluginProcess>;
  /** Holds that what is about to run is what was verified. */
  checkUnchanged(plugin: InstalledPlugin): Promise<void>;
  /** So many processes run at once; HUB_PLUGIN_PROCS_MAX. */
  procsMax: number;
  idleMs?: number;
};

export type ProcessStatus = { key: string; version: string; pid: number; calls: number };

/** The running plugins: each starts with its first call and ends when nobody needs it any more. */
export type PluginProcessPool = {
  /** Lends a process of this plugin for one call. Rejects with `plugin_unavailable`. */
  call<T>(
    plugin: InstalledPlugin,
    signal: AbortSignal,
    use: (process: PluginProcess) => Promise<T>,
  ): Promise<T>;
  /**
   * New calls get a new process, of `next`, whatever version they know; without one they are refused
   * until there is one again. Calls in flight finish on the old.
   */
  drainAndReplace(key: string, next: InstalledPlugin | null): void;
  stopAll(): Promise<void>;
  list(): ProcessStatus[];
};

const idleMsDefault = 5 * 60_000;

export function createPluginPool(deps: PoolDeps): PluginProcessPool {
  const { timers, log, idleMs = idleMsDefault } = deps;
  const slots = new Map<string, PluginSlot>();
  /** All that run, those among them that take no more calls. */
  const processes = new Set<PooledProcess>();
  const places = createProcessSlots(deps.procsMax);
  const line = createStartLine();
  const closing = new AbortController();

  /** Resolves with a process that is lent to this call already. */
  async function acquire(plugin: InstalledPlugin, signal: AbortSignal): Promise<PooledProcess> {
    const slot = toSlot(plugin.key);
    for (;;) {
      checkOpen();
      signal.throwIfAborted();
      checkPresent(slot);
      const { running } = slot;
      if (running?.process.isUsable()) {
        running.lend();
        return running;
      }
      running?.abandon();
      slot.starting ??= start(slot, plugin).finally(() => {
        slot.starting = null;
      });
      await line.wait(slot.starting, signal);
    }
  }

  function checkOpen(): void {
    if (closing.signal.aborted) throw new HubError("plugin_unavailable", "The hub is stopping.");
  }

  /** One at a time for each plugin; a slow one holds up nobody else. */
  async function start(slot: PluginSlot, known: InstalledPlugin): Promise<void> {
    await waitOutBackOff(deps, slot);
    const place = await places.take(retireIdle);
    const { generation } = slot;
    try {
      checkOpen();
      // While it waited for its place, it may have been switched off.
      checkPresent(slot);
      await enter(slot, slot.next ?? known, place);
    } catch (error) {
      place.giveBack();
      // A start that nobody wants any more says nothing about the plugin that is wanted now.
      if (generation === slot.generation) throw error;
    }
  }

  /** Starts the process and lets it take calls, unless it has become the wrong one meanwhile. */
  async function enter(
    slot: PluginSlot,
    plugin: InstalledPlugin,
    place: ProcessPlace,
  ): Promise<void> {
    const { generation } = slot;
    await deps.checkUnchanged(plugin);
    const startedAt = timers.now();
    const process = await deps.start(plugin, closing.signal).catch((error) => {
      const run = { livedMs: timers.now() - startedAt, answered: false };
      if (generation === slot.generation) noteCrash(deps, slot, run, error.message);
      throw error;
    });
    log.info({ plugin: plugin.key, version: plugin.version, pid: process.pid }, "Plugin started");
    const pooled = createPooledProcess(
      {
        timers,
        idleMs,
        onLeaving() {
          if (slot.running === pooled) slot.running = null;
        },
        onIdle: places.wake,
      },
      { plugin, process, place, startedAt },
    );
    processes.add(pooled);
    if (generation === slot.generation && !closing.signal.aborted) slot.running = pooled;
    else pooled.leave();
    process.exited.then((exit) => onExit(slot, pooled, exit));
  }

  function onExit(slot: PluginSlot, ended: PooledProcess, exit: ExitInfo): void {
    processes.delete(ended);
    if (slot.running === ended) slot.running = null;
    const crash = ended.close();
    if (crash !== null) noteCrash(deps, slot, crash, describeExit(exit));
    else log.info({ plugin: slot.key, pid: ended.process.pid }, "Plugin stopped");
  }

  /** Ends the idle process that was used longest ago; null when all are busy. */
  function retireIdle(): Promise<void> | null {
    const idle = [...processes].filter(({ place, calls }) => place.isHeld() && calls() === 0);
    const [oldest] = idle.sort((a, b) => a.lastUsedAt() - b.lastUsedAt());
    if (oldest === undefined) return null;
    oldest.leave();
    return oldest.stop();
  }

  function toSlot(key: string): PluginSlot {
    const known = slots.get(key);
    if (known !== undefined) return known;
    const slot = createPluginSlot(timers, key);
    slots.set(key, slot);
    return slot;
  }

  return {
    async call(plugin, signal, use) {
      const pooled = await acquire(plugin, signal);
      let hasAnswered = false;
      try {
        const result = await use(pooled.process);
        hasAnswered = true;
        return result;
      } catch (error) {
        // What a connector throws is an answer, too.
        hasAnswered = !isUnavailable(error);
        throw error;
      } finally {
        pooled.giveBack(hasAnswered);
      }
    },
    drainAndReplace(key, next) {
      const slot = toSlot(key);
      slot.generation += 1;
      slot.next = next;
      slot.isWithdrawn = next === null;
      slot.backOff.reset();
      // The new one must not wait for the old one's calls to end.
      slot.running?.place.giveBack();
      slot.running?.leave();
    },
    async stopAll() {
      closing.abort(new Error("the hub stops"));
      const stopProcesses = () => Promise.allSettled([...processes].map((each) => each.stop()));
      // Some that are starting wait for the place of one that runs.
      await stopProcesses();
      await Promise.allSettled([...slots.values()].map(({ starting }) => starting));
      await stopProcesses();
    },
    list: () =>
      [...processes].map(({ plugin, process: { pid }, calls }) => ({
        key: plugin.key,
        version: plugin.version,
        pid,
        calls: calls(),
      })),
  };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof HubError && error.code === "plugin_unavailable";
}
