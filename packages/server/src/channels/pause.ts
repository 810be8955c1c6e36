import { setTimeout } from "node:timers/promises";

/** Waits, at the longest until the signal aborts. Then it rejects with the signal's reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {
    throw signal.reason;
  });
}
