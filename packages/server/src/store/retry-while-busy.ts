import { setTimeout as wait } from "node:timers/promises";
import { isBusy } from "./sqlite-errors.ts";

/**
 * Tries again while another process writes: until so long after `askedAt`, and once at least.
 * SQLite's own busy_timeout would sleep inside the call and with it stop every request of this
 * process, so that is 0 on the writer and the wait is here.
 */
export async function retryWhileBusy<T>(
  waitMsMax: number,
  attempt: () => T,
  askedAt = performance.now(),
): Promise<T> {
  const giveUpAt = askedAt + waitMsMax;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 20)) {
    try {
      return attempt();
    } catch (err) {
      if (!isBusy(err) || performance.now() >= giveUpAt) throw err;
    }
    // Uneven pauses, so that two waiting processes do not keep meeting.
    await wait(pauseMs * (0.5 + Math.random()));
  }
}
