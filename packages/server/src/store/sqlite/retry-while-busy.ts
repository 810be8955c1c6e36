import { setTimeout as wait } from "node:timers/promises";
import { isBusy } from "./sqlite-errors.ts";

/**
 * Retries while another process writes, until `waitMsMax` after `askedAt`, but at least once.
 * SQLite's own busy_timeout would sleep inside the call and block every request of this process, so
 * it is 0 on the writer and the wait is here.
 */
export async function retryWhileBusy<T>(
  waitMsMax: number,
  attempt: () => T,
  askedAt = performance.now(),
  onBusy: () => void = () => {},
): Promise<T> {
  const giveUpAt = askedAt + waitMsMax;
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 20)) {
    try {
      return attempt();
    } catch (err) {
      if (!isBusy(err) || performance.now() >= giveUpAt) throw err;
      onBusy();
    }
    // Random pauses, so that two waiting processes do not collide again.
    await wait(pauseMs * (0.5 + Math.random()));
  }
}
