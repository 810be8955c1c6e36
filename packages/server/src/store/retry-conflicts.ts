import { setTimeout as wait } from "node:timers/promises";

const attemptsMax = 5;
const firstPauseMs = 4;

/**
 * Runs a transaction again if it conflicts with another one, at most five times in all; then throws
 * the last failure. A transaction that could not begin has waited for the others already, so it is
 * not retried.
 */
export async function retryConflicts<T>(
  isConflict: (failure: unknown) => boolean,
  attempt: (onBegin: () => void) => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    let isBegun = false;
    try {
      return await attempt(() => {
        isBegun = true;
      });
    } catch (err) {
      if (!isBegun || attempts >= attemptsMax || !isConflict(err)) throw err;
    }
    // Random pauses, so that two transactions do not conflict again.
    await wait(firstPauseMs * 2 ** (attempts - 1) * (0.5 + Math.random()));
  }
}
