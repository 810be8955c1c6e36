import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/timers.ts";
import type { InstalledPlugin } from "../installed-plugin.ts";
import { type BackOff, createBackOff } from "./back-off.ts";
import type { PooledProcess } from "./pooled-process.ts";
import type { Log } from "./start-plugin.ts";

/** What the pool knows of one plugin, whether it runs or not. */
export type PluginSlot = {
  key: string;
  /** What to start, when it is another version than the caller knows. */
  next: InstalledPlugin | null;
  /** Switched off or removed: a call that comes late starts nothing. */
  isWithdrawn: boolean;
  /** The process that takes calls. */
  running: PooledProcess | null;
  starting: Promise<void> | null;
  /** Moves when what is starting has become the wrong one. */
  generation: number;
  backOff: BackOff;
};

/** A shorter back-off is waited out, a longer one is told. */
const waitedBackOffMs = 1000;

export function createPluginSlot(timers: Timers, key: string): PluginSlot {
  return {
    key,
    next: null,
    isWithdrawn: false,
    running: null,
    starting: null,
    generation: 0,
    backOff: createBackOff(timers),
  };
}

/** Throws `plugin_unavailable` when it was switched off or removed. */
export function checkPresent({ key, isWithdrawn }: PluginSlot): void {
  if (!isWithdrawn) return;
  throw new HubError(
    "plugin_unavailable",
    `The plugin "${key}" has just been switched off or removed.`,
  );
}

/** Rejects with `plugin_unavailable` when it may not be started for a while. */
export async function waitOutBackOff(
  { timers }: { timers: Timers },
  { key, backOff }: PluginSlot,
): Promise<void> {
  const remainingMs = backOff.remainingMs();
  if (remainingMs > waitedBackOffMs) {
    const seconds = Math.ceil(remainingMs / 1000);
    throw new HubError(
      "plugin_unavailable",
      `The plugin "${key}" has crashed ${backOff.crashes()} times in a row; it is started again in ${seconds} s. An admin can look at the hub's log.`,
    );
  }
  if (remainingMs > 0) {
    await new Promise<void>((resolve) => timers.after(remainingMs, resolve));
  }
}

export function noteCrash(
  { log }: { log: Log },
  { key, backOff }: PluginSlot,
  run: { livedMs: number; answered: boolean },
  why: string,
): void {
  const delayMs = backOff.noteCrash(run);
  log.warn(
    { plugin: key, crashes: backOff.crashes(), delay_ms: delayMs },
    `Plugin crashed: ${why}. The next start is in ${Math.round(delayMs / 1000)} s at the earliest`,
  );
}
