import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/timers.ts";
import type { InstalledPlugin } from "../installed-plugin.ts";
import { type BackOff, createBackOff } from "./back-off.ts";
import { createProcessSlots } from "./process-slots.ts";
import { raceAbort } from "./race-abort.ts";
import { describeExit, type ExitInfo } from "./spawn-plugin.ts";
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
/** So many calls may wait for a process to start. */
const waitingMax = 1000;
/** A shorter back-off is waited out, a longer one is told. */
const waitedBackOffMs = 1000;

type Entry = {
  plugin: InstalledPlugin;
  process: PluginProcess;
  startedAt: number;
  calls: number;
  answered: boolean;
  lastUsedAt: number;
  /** Asked to end, or about to be when its last call has: takes no more. */
  isLeaving: boolean;
  /** It hung up by itself. */
  isBroken: boolean;
  /** Whether it still has its place among the processes. */
  hasSlot: boolean;
  stopping: Promise<void> | null;
  callOffReaping: () => void;
};

type Slot = {
  key: string;
  /** What to start, when it is another version than the caller knows. */
  next: InstalledPlugin | null;
  /** Switched off or removed: a call that comes late starts nothing. */
  isWithdrawn: boolean;
  entry: Entry | null;
  starting: Promise<void> | null;
  /** Moves when what is starting has become the wrong one. */
  generation: number;
  backOff: BackOff;
};

export function createPluginPool(deps: PoolDeps): PluginProcessPool {
  const { timers, log, idleMs = idleMsDefault } = deps;
  const slots = new Map<string, Slot>();
  const entries = new Set<Entry>();
  const places = createProcessSlots(deps.procsMax);
  let waiting = 0;
  const closing = new AbortController();

  async function acquire(plugin: InstalledPlugin, signal: AbortSignal): Promise<Entry> {
    const slot = toSlot(plugin.key);
    for (;;) {
      checkOpen();
      signal.throwIfAborted();
      checkPresent(slot);
      const { entry } = slot;
      if (entry?.process.isUsable()) return lend(entry);
      if (entry !== null) {
        entry.isBroken = true;
        leave(entry);
      }
      slot.starting ??= start(slot, plugin).finally(() => {
        slot.starting = null;
      });
      await waitFor(slot.starting, signal);
    }
  }

  function checkOpen(): void {
    if (closing.signal.aborted) throw new HubError("plugin_unavailable", "The hub is stopping.");
  }

  function checkPresent({ key, isWithdrawn }: Slot): void {
    if (!isWithdrawn) return;
    throw new HubError(
      "plugin_unavailable",
      `The plugin "${key}" has just been switched off or removed.`,
    );
  }

  async function waitFor(starting: Promise<void>, signal: AbortSignal): Promise<void> {
    if (waiting >= waitingMax) {
      throw new HubError(
        "plugin_unavailable",
        "Too many calls wait for plugins to start. Try again in a moment.",
      );
    }
    waiting += 1;
    try {
      await raceAbort(starting, signal);
    } finally {
      waiting -= 1;
    }
  }

  /** One at a time for each plugin; a slow one holds up nobody else. */
  async function start(slot: Slot, known: InstalledPlugin): Promise<void> {
    await waitOutBackOff(slot);
    await places.take(retireIdle);
    const { generation } = slot;
    try {
      checkOpen();
      // While it waited for its place, it may have been switched off.
      checkPresent(slot);
      await enter(slot, slot.next ?? known);
    } catch (error) {
      places.give();
      // A start that nobody wants any more says nothing about the plugin that is wanted now.
      if (generation === slot.generation) throw error;
    }
  }

  async function enter(slot: Slot, plugin: InstalledPlugin): Promise<void> {
    const { generation } = slot;
    await deps.checkUnchanged(plugin);
    const startedAt = timers.now();
    const running = await deps.start(plugin, closing.signal).catch((error) => {
      if (generation === slot.generation) {
        noteCrash(slot, { livedMs: timers.now() - startedAt, answered: false }, error.message);
      }
      throw error;
    });
    const entry = toEntry(plugin, running, startedAt);
    entries.add(entry);
    log.info({ plugin: plugin.key, version: plugin.version, pid: running.pid }, "Plugin started");
    if (generation !== slot.generation || closing.signal.aborted) {
      leave(entry);
    } else {
      slot.entry = entry;
      reapWhenIdle(entry);
    }
    running.exited.then((exit) => onExit(slot, entry, exit));
  }

  async function waitOutBackOff(slot: Slot): Promise<void> {
    const remainingMs = slot.backOff.remainingMs();
    if (remainingMs > waitedBackOffMs) {
      const seconds = Math.ceil(remainingMs / 1000);
      throw new HubError(
        "plugin_unavailable",
        `The plugin "${slot.key}" has crashed ${slot.backOff.crashes()} times in a row; it is started again in ${seconds} s. An admin can look at the hub's log.`,
      );
    }
    if (remainingMs > 0) {
      await new Promise<void>((resolve) => timers.after(remainingMs, resolve));
    }
  }

  function toEntry(plugin: InstalledPlugin, running: PluginProcess, startedAt: number): Entry {
    return {
      plugin,
      process: running,
      startedAt,
      calls: 0,
      answered: false,
      lastUsedAt: timers.now(),
      isLeaving: false,
      isBroken: false,
      hasSlot: true,
      stopping: null,
      callOffReaping: () => {},
    };
  }

  function lend(entry: Entry): Entry {
    entry.callOffReaping();
    entry.calls += 1;
    entry.lastUsedAt = timers.now();
    return entry;
  }

  function giveBack(entry: Entry): void {
    entry.calls -= 1;
    entry.lastUsedAt = timers.now();
    if (entry.calls > 0) return;
    if (entry.isLeaving) stop(entry);
    else reapWhenIdle(entry);
    places.wake();
  }

  function reapWhenIdle(entry: Entry): void {
    entry.callOffReaping = timers.after(idleMs, () => leave(entry));
  }

  /** Ends the idle process that was used longest ago; null when all are busy. */
  function retireIdle(): Promise<void> | null {
    const idle = [...entries].filter((entry) => entry.hasSlot && entry.calls === 0);
    const [oldest] = idle.sort((a, b) => a.lastUsedAt - b.lastUsedAt);
    if (oldest === undefined) return null;
    leave(oldest);
    return stop(oldest);
  }

  /** Takes no more calls, and ends after those it has. */
  function leave(entry: Entry): void {
    entry.isLeaving = true;
    entry.callOffReaping();
    const slot = toSlot(entry.plugin.key);
    if (slot.entry === entry) slot.entry = null;
    if (entry.calls === 0) stop(entry);
  }

  function stop(entry: Entry): Promise<void> {
    entry.isLeaving = true;
    entry.stopping ??= entry.process.stop();
    return entry.stopping;
  }

  function onExit(slot: Slot, entry: Entry, exit: ExitInfo): void {
    entries.delete(entry);
    entry.callOffReaping();
    if (slot.entry === entry) slot.entry = null;
    freePlace(entry);
    const { plugin, process: ended } = entry;
    const fields = { plugin: plugin.key, pid: ended.pid };
    if (entry.stopping !== null && !entry.isBroken) {
      log.info(fields, "Plugin stopped");
      return;
    }
    const livedMs = timers.now() - entry.startedAt;
    noteCrash(slot, { livedMs, answered: entry.answered }, describeExit(exit));
  }

  function freePlace(entry: Entry): void {
    if (!entry.hasSlot) return;
    entry.hasSlot = false;
    places.give();
  }

  function noteCrash(slot: Slot, run: { livedMs: number; answered: boolean }, why: string): void {
    const delayMs = slot.backOff.noteCrash(run);
    const crashes = slot.backOff.crashes();
    log.warn(
      { plugin: slot.key, crashes, delay_ms: delayMs },
      `Plugin crashed: ${why}. The next start is in ${Math.round(delayMs / 1000)} s at the earliest`,
    );
  }

  function toSlot(key: string): Slot {
    const known = slots.get(key);
    if (known !== undefined) return known;
    const slot: Slot = {
      key,
      next: null,
      isWithdrawn: false,
      entry: null,
      starting: null,
      generation: 0,
      backOff: createBackOff(timers),
    };
    slots.set(key, slot);
    return slot;
  }

  return {
    async call(plugin, signal, use) {
      const entry = await acquire(plugin, signal);
      try {
        const result = await use(entry.process);
        entry.answered = true;
        return result;
      } catch (error) {
        // What a connector throws is an answer, too.
        entry.answered ||= !isUnavailable(error);
        throw error;
      } finally {
        giveBack(entry);
      }
    },
    drainAndReplace(key, next) {
      const slot = toSlot(key);
      slot.generation += 1;
      slot.next = next;
      slot.isWithdrawn = next === null;
      slot.backOff.reset();
      if (slot.entry === null) return;
      // The new one must not wait for the old one's calls to end.
      freePlace(slot.entry);
      leave(slot.entry);
    },
    async stopAll() {
      closing.abort(new Error("the hub stops"));
      // Some that are starting wait for the place of one that runs.
      await Promise.allSettled([...entries].map(stop));
      await Promise.allSettled([...slots.values()].map(({ starting }) => starting));
      await Promise.allSettled([...entries].map(stop));
    },
    list: () =>
      [...entries].map(({ plugin, process: { pid }, calls }) => ({
        key: plugin.key,
        version: plugin.version,
        pid,
        calls,
      })),
  };
}

function isUnavailable(error: unknown): boolean {
  return error instanceof HubError && error.code === "plugin_unavailable";
}
