import type { Timers } from "../../lib/timers.ts";
import type { InstalledPlugin } from "../installed-plugin.ts";
import type { ProcessPlace } from "./process-slots.ts";
import type { PluginProcess } from "./start-plugin.ts";

/** A running plugin with the calls that it works on. */
export type PooledProcess = {
  plugin: InstalledPlugin;
  process: PluginProcess;
  place: ProcessPlace;
  calls(): number;
  lastUsedAt(): number;
  /** One more call works on it; `giveBack` when that is over. */
  lend(): void;
  /** `answered`: the plugin has said something, be it a failure. */
  giveBack(answered: boolean): void;
  /** Takes no more calls, and ends after those it has. */
  leave(): void;
  /** As `leave`, of one that has hung up by itself. */
  abandon(): void;
  /** Resolves when it has ended. */
  stop(): Promise<void>;
  /** Told when the process has ended: how it lived, if nobody had asked it to end; else null. */
  close(): { livedMs: number; answered: boolean } | null;
};

type PooledDeps = {
  timers: Timers;
  idleMs: number;
  /** It takes no more calls. */
  onLeaving(): void;
  /** It works on nothing. */
  onIdle(): void;
};

type Started = Pick<PooledProcess, "plugin" | "process" | "place"> & { startedAt: number };

export function createPooledProcess(
  { timers, idleMs, onLeaving, onIdle }: PooledDeps,
  { startedAt, ...parts }: Started,
): PooledProcess {
  let calls = 0;
  let hasAnswered = false;
  let lastUsedAt = timers.now();
  let isLeaving = false;
  let isBroken = false;
  let stopping: Promise<void> | null = null;

  const stop = () => {
    isLeaving = true;
    stopping ??= parts.process.stop();
    return stopping;
  };
  const leave = () => {
    isLeaving = true;
    cancelReaping();
    onLeaving();
    if (calls === 0) stop();
  };
  let cancelReaping = timers.after(idleMs, leave);

  return {
    ...parts,
    calls: () => calls,
    lastUsedAt: () => lastUsedAt,
    lend() {
      cancelReaping();
      calls += 1;
      lastUsedAt = timers.now();
    },
    giveBack(answered) {
      hasAnswered ||= answered;
      calls -= 1;
      lastUsedAt = timers.now();
      if (calls > 0) return;
      if (isLeaving) stop();
      else cancelReaping = timers.after(idleMs, leave);
      onIdle();
    },
    leave,
    abandon() {
      isBroken = true;
      leave();
    },
    stop,
    close() {
      cancelReaping();
      parts.place.giveBack();
      if (stopping !== null && !isBroken) return null;
      return { livedMs: timers.now() - startedAt, answered: hasAnswered };
    },
  };
}
