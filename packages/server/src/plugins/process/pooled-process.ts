import type { Timers } from "../../lib/time/timers.ts";
import type { InstalledPlugin } from "../installed/installed-plugin.ts";
import type { ProcessPermit } from "./process-semaphore.ts";
import type { PluginProcess } from "./start-plugin.ts";

/** A running plugin and its running calls. */
export type PooledProcess = {
  plugin: InstalledPlugin;
  process: PluginProcess;
  permit: ProcessPermit;
  calls(): number;
  lastUsedAt(): number;
  /** Counts a call; `endCall` when it is over. */
  beginCall(): void;
  /** `answered`: the plugin has answered, also with a failure. */
  endCall(answered: boolean): void;
  /** Accepts no more calls and ends after the running ones. */
  drain(): void;
  /** Like `drain`, for a process that has closed its connection. */
  abandon(): void;
  /** Resolves when it has ended. */
  stop(): Promise<void>;
  /** Called when the process has ended. Returns details of the run if it crashed, else null. */
  close(): { livedMs: number; answered: boolean } | null;
};

type PooledDeps = {
  timers: Timers;
  idleMs: number;
  /** It accepts no more calls. */
  onDraining(): void;
  /** It has no running calls. */
  onIdle(): void;
};

type Started = Pick<PooledProcess, "plugin" | "process" | "permit"> & { startedAt: number };

export function createPooledProcess(
  { timers, idleMs, onDraining, onIdle }: PooledDeps,
  { startedAt, ...parts }: Started,
): PooledProcess {
  let calls = 0;
  let hasAnswered = false;
  let lastUsedAt = timers.now();
  let isDraining = false;
  let isBroken = false;
  let stopping: Promise<void> | null = null;

  const stop = () => {
    isDraining = true;
    stopping ??= parts.process.stop();
    return stopping;
  };
  const drain = () => {
    isDraining = true;
    cancelReaping();
    onDraining();
    if (calls === 0) stop();
  };
  let cancelReaping = timers.after(idleMs, drain);

  return {
    ...parts,
    calls: () => calls,
    lastUsedAt: () => lastUsedAt,
    beginCall() {
      cancelReaping();
      calls += 1;
      lastUsedAt = timers.now();
    },
    endCall(answered) {
      hasAnswered ||= answered;
      calls -= 1;
      lastUsedAt = timers.now();
      if (calls > 0) return;
      if (isDraining) stop();
      else cancelReaping = timers.after(idleMs, drain);
      onIdle();
    },
    drain,
    abandon() {
      isBroken = true;
      drain();
    },
    stop,
    close() {
      cancelReaping();
      parts.permit.release();
      if (stopping !== null && !isBroken) return null;
      return { livedMs: timers.now() - startedAt, answered: hasAnswered };
    },
  };
}
