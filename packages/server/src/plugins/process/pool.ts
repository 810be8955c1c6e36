import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { InstalledPlugin } from "../installed/installed-plugin.ts";
import type { Log } from "./plugin-log.ts";
import {
  checkPresent,
  createPooledPlugin,
  type PooledPlugin,
  recordCrash,
  waitOutBackOff,
} from "./pooled-plugin.ts";
import { createPooledProcess, type PooledProcess } from "./pooled-process.ts";
import {
  createProcessSemaphore,
  type ProcessPermit,
  type ProcessSemaphore,
} from "./process-semaphore.ts";
import { describeExit, type ExitInfo } from "./spawn-plugin.ts";
import type { PluginProcess } from "./start-plugin.ts";
import { createStartQueue } from "./start-queue.ts";

export type PoolDeps = {
  timers: Timers;
  log: Log;
  /** Stops and cleans up when the signal aborts. */
  start(plugin: InstalledPlugin, signal: AbortSignal): Promise<PluginProcess>;
  /** Checks that the program is the one that was verified. */
  checkUnchanged(plugin: InstalledPlugin): Promise<void>;
  /** Limit of running processes; HUB_PLUGIN_PROCS_MAX. */
  procsMax: number;
  idleMs?: number;
};

export type ProcessStatus = { key: string; version: string; pid: number; calls: number };

/** The running plugins. Each starts with its first call and ends when it is idle. */
export type PluginProcessPool = {
  /** Runs one call with a process of this plugin. Rejects with `plugin_unavailable`. */
  call<T>(
    plugin: InstalledPlugin,
    signal: AbortSignal,
    use: (process: PluginProcess) => Promise<T>,
  ): Promise<T>;
  /**
   * New calls use a new process of `next`, whatever version they name. If `next` is null they are
   * refused. Running calls finish on the old process.
   */
  drainAndReplace(key: string, next: InstalledPlugin | null): void;
  stopAll(): Promise<void>;
  list(): ProcessStatus[];
};

const idleMsDefault = 5 * 60_000;

export function createPluginPool(deps: PoolDeps): PluginProcessPool {
  return new RunningPlugins(deps);
}

/** Each plugin has one process that takes calls; older ones end with theirs. */
class RunningPlugins implements PluginProcessPool {
  readonly #deps: PoolDeps;
  readonly #states = new Map<string, PooledPlugin>();
  /** All running processes, also those that accept no more calls. */
  readonly #processes = new Set<PooledProcess>();
  readonly #semaphore: ProcessSemaphore;
  readonly #queue = createStartQueue();
  readonly #closing = new AbortController();

  constructor(deps: PoolDeps) {
    this.#deps = deps;
    this.#semaphore = createProcessSemaphore(deps.procsMax);
  }

  async call<T>(
    plugin: InstalledPlugin,
    signal: AbortSignal,
    use: (process: PluginProcess) => Promise<T>,
  ): Promise<T> {
    const pooled = await this.#acquire(plugin, signal);
    let hasAnswered = false;
    try {
      const result = await use(pooled.process);
      hasAnswered = true;
      return result;
    } catch (error) {
      // An error that the connector threw is an answer too.
      hasAnswered = !isUnavailable(error);
      throw error;
    } finally {
      pooled.endCall(hasAnswered);
    }
  }

  drainAndReplace(key: string, next: InstalledPlugin | null): void {
    const state = this.#findOrCreateState(key);
    state.generation += 1;
    state.next = next;
    state.isWithdrawn = next === null;
    state.backOff.reset();
    // The new process must not wait until the old one's calls have ended.
    state.running?.permit.release();
    state.running?.drain();
  }

  async stopAll(): Promise<void> {
    this.#closing.abort(new Error("the hub is stopping"));
    const stopProcesses = () => Promise.allSettled([...this.#processes].map((each) => each.stop()));
    // Starting processes may wait for the permit of a running one.
    await stopProcesses();
    await Promise.allSettled([...this.#states.values()].map(({ starting }) => starting));
    await stopProcesses();
  }

  list(): ProcessStatus[] {
    return [...this.#processes].map(({ plugin, process: { pid }, calls }) => ({
      key: plugin.key,
      version: plugin.version,
      pid,
      calls: calls(),
    }));
  }

  /** Resolves with a process on which this call is already counted. */
  async #acquire(plugin: InstalledPlugin, signal: AbortSignal): Promise<PooledProcess> {
    const state = this.#findOrCreateState(plugin.key);
    for (;;) {
      this.#checkOpen();
      signal.throwIfAborted();
      checkPresent(state);
      const { running } = state;
      if (running?.process.isUsable()) {
        running.beginCall();
        return running;
      }
      running?.abandon();
      state.starting ??= this.#start(state, plugin).finally(() => {
        state.starting = null;
      });
      await this.#queue.wait(state.starting, signal);
    }
  }

  #checkOpen(): void {
    if (this.#closing.signal.aborted)
      throw new HubError("plugin_unavailable", "The hub is stopping.");
  }

  /** Runs once at a time for each plugin; a slow start does not delay other plugins. */
  async #start(state: PooledPlugin, known: InstalledPlugin): Promise<void> {
    await waitOutBackOff(this.#deps, state);
    const permit = await this.#semaphore.acquire(() => this.#retireIdle());
    const { generation } = state;
    try {
      this.#checkOpen();
      // It may have been disabled while it waited for the permit.
      checkPresent(state);
      await this.#enter(state, state.next ?? known, permit);
    } catch (error) {
      permit.release();
      // The failure of an outdated start says nothing about the version that is wanted now.
      if (generation === state.generation) throw error;
    }
  }

  /** Starts the process and gives it calls, unless another version is wanted by then. */
  async #enter(state: PooledPlugin, plugin: InstalledPlugin, permit: ProcessPermit): Promise<void> {
    const { generation } = state;
    await this.#deps.checkUnchanged(plugin);
    const startedAt = this.#deps.timers.now();
    const process = await this.#deps.start(plugin, this.#closing.signal).catch((error) => {
      const run = { livedMs: this.#deps.timers.now() - startedAt, answered: false };
      if (generation === state.generation) {
        state.lastOutput = error instanceof HubError ? error.detail : {};
        recordCrash(this.#deps, state, run, error.message);
      }
      throw error;
    });
    this.#deps.log.info(
      { plugin: plugin.key, version: plugin.version, pid: process.pid },
      "Plugin started",
    );
    const pooled = createPooledProcess(
      {
        timers: this.#deps.timers,
        idleMs: this.#deps.idleMs ?? idleMsDefault,
        onDraining() {
          if (state.running === pooled) state.running = null;
        },
        onIdle: this.#semaphore.wake,
      },
      { plugin, process, permit, startedAt },
    );
    this.#processes.add(pooled);
    if (generation === state.generation && !this.#closing.signal.aborted) state.running = pooled;
    else pooled.drain();
    state.lastOutput = {};
    process.exited.then((exit) => this.#onExit(state, pooled, exit));
  }

  #onExit(state: PooledPlugin, ended: PooledProcess, exit: ExitInfo): void {
    this.#processes.delete(ended);
    if (state.running === ended) state.running = null;
    const crash = ended.close();
    if (crash !== null) recordCrash(this.#deps, state, crash, describeExit(exit));
    else this.#deps.log.info({ plugin: state.key, pid: ended.process.pid }, "Plugin stopped");
  }

  /** Ends the least recently used idle process; null if all are busy. */
  #retireIdle(): Promise<void> | null {
    const idle = [...this.#processes].filter(
      ({ permit, calls }) => permit.isHeld() && calls() === 0,
    );
    const [oldest] = idle.sort((a, b) => a.lastUsedAt() - b.lastUsedAt());
    if (oldest === undefined) return null;
    oldest.drain();
    return oldest.stop();
  }

  #findOrCreateState(key: string): PooledPlugin {
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state = createPooledPlugin(this.#deps.timers, key);
    this.#states.set(key, state);
    return state;
  }
}

function isUnavailable(error: unknown): boolean {
  return error instanceof HubError && error.code === "plugin_unavailable";
}
