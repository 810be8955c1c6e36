import { toDurationText } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { InstalledPlugin } from "../installed/installed-plugin.ts";
import { type BackOff, createBackOff } from "./back-off.ts";
import type { Log } from "./plugin-log.ts";
import type { PooledProcess } from "./pooled-process.ts";

/** The pool's state of one plugin, running or not. */
export type PooledPlugin = {
  key: string;
  /** The version to start, if it is not the one that the caller knows. */
  next: InstalledPlugin | null;
  /** Disabled or removed: late calls do not start it. */
  isWithdrawn: boolean;
  /** The process that takes calls. */
  running: PooledProcess | null;
  starting: Promise<void> | null;
  /** Incremented when a starting process is no longer the wanted version. */
  generation: number;
  backOff: BackOff;
  /** What its last failed start wrote, as members of an error. */
  lastOutput: Record<string, unknown>;
};

/** A call waits for a shorter back-off and fails for a longer one. */
const waitedBackOffMs = 1000;

export function createPooledPlugin(timers: Timers, key: string): PooledPlugin {
  return {
    key,
    next: null,
    isWithdrawn: false,
    running: null,
    starting: null,
    generation: 0,
    backOff: createBackOff(timers),
    lastOutput: {},
  };
}

/** Throws `plugin_unavailable` if it was disabled or removed. */
export function checkPresent({ key, isWithdrawn }: PooledPlugin): void {
  if (!isWithdrawn) return;
  throw new HubError(
    "plugin_unavailable",
    `The plugin "${key}" was disabled or removed during this call. Ask an admin.`,
  );
}

/** Waits for the back-off. Rejects with `plugin_unavailable` if it is long. */
export async function waitOutBackOff(
  { timers }: { timers: Timers },
  { key, backOff, lastOutput }: PooledPlugin,
): Promise<void> {
  const remainingMs = backOff.remainingMs();
  if (remainingMs > waitedBackOffMs) {
    const seconds = Math.ceil(remainingMs / 1000);
    throw new HubError(
      "plugin_unavailable",
      `The plugin "${key}" has crashed ${backOff.crashes()} times in a row. It can be started again in ${seconds} s. An admin can find the reason in the hub's log.`,
      { detail: lastOutput },
    );
  }
  if (remainingMs > 0) {
    await new Promise<void>((resolve) => timers.after(remainingMs, resolve));
  }
}

export function recordCrash(
  { log }: { log: Log },
  { key, backOff }: PooledPlugin,
  run: { livedMs: number; answered: boolean },
  why: string,
): void {
  const delayMs = backOff.recordCrash(run);
  log.warn(
    { plugin: key, crashes: backOff.crashes(), delay_ms: delayMs },
    `Plugin crashed: ${why}. It can be started again in ${toDurationText(delayMs)}`,
  );
}
