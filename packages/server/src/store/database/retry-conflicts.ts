import { setTimeout as wait } from "node:timers/promises";
import type { Kysely } from "kysely";
import type { Connection } from "./connection.ts";
import type { Tables } from "./tables.ts";

const attemptsMax = 5;
const firstPauseMs = 4;

/**
 * Runs a transaction again if it conflicts with another one, at most five times in all; then throws
 * the last failure. A transaction that could not begin has waited for the others already, so it is
 * not retried.
 */
export async function retryConflicts<T>(
  { begin, isConflict }: Pick<Connection, "begin" | "isConflict">,
  change: (kysely: Kysely<Tables>) => Promise<T>,
): Promise<T> {
  let attempts = 0;
  let begun = 0;
  const run = (kysely: Kysely<Tables>) => {
    begun += 1;
    return change(kysely);
  };
  return await repeatConflicts(
    { isConflict: (err) => begun >= attempts && isConflict(err) },
    () => {
      attempts += 1;
      return begin(run, begun > 0);
    },
  );
}

/** Does `work` at most five times, until it does not fail with a conflict. */
export async function repeatConflicts<T>(
  { isConflict }: Pick<Connection, "isConflict">,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await work();
    } catch (err) {
      if (attempts >= attemptsMax || !isConflict(err)) throw err;
    }
    // Random pauses, so that two transactions do not conflict again.
    await wait(firstPauseMs * 2 ** (attempts - 1) * (0.5 + Math.random()));
  }
}
