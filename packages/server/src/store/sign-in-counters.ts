import type { Db, Tables } from "./tables.ts";

/** Attempts to sign in that failed or are under way. Times are epoch ms. */
export type SignInCounter = {
  key: string;
  /** Hash of the account that was tried; null where the counter is of no single account. */
  account: string | null;
  failures: number;
  firstAt: number;
  lastAt: number;
  expiresAt: number;
};

/** By so much a counter may be ahead of the clock: a clock is set back, or another process's is ahead. */
const aheadMsMax = 15 * 60_000;

/**
 * Those that are there and still count. One from far ahead was counted by a clock that was wrong: it
 * would keep people out until the right one has come there.
 */
export async function findSignInCounters(
  db: Db,
  { keys, at }: { keys: readonly string[]; at: number },
): Promise<Map<string, SignInCounter>> {
  const counters = await db
    .selectFrom("sign_in_counters")
    .selectAll()
    .where("key", "in", keys)
    .where("expires_at", ">", at)
    .where("first_at", "<=", at + aheadMsMax)
    .execute();
  return new Map(counters.map((counter) => [counter.key, toCounter(counter)]));
}

export async function putSignInCounter(db: Db, counter: SignInCounter): Promise<void> {
  const { key, account, failures } = counter;
  const times = {
    first_at: counter.firstAt,
    last_at: counter.lastAt,
    expires_at: counter.expiresAt,
  };
  await db
    .insertInto("sign_in_counters")
    .values({ key, account, failures, ...times })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ failures, ...times }))
    .execute();
}

/** Counts one attempt less. A counter of nothing is deleted. */
export async function takeBackSignIn(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await db
    .updateTable("sign_in_counters")
    .set((counter) => ({ failures: counter("failures", "-", 1) }))
    .where("key", "in", keys)
    .execute();
  await db
    .deleteFrom("sign_in_counters")
    .where("key", "in", keys)
    .where("failures", "<=", 0)
    .execute();
}

export async function deleteSignInCounters(db: Db, keys: readonly string[]): Promise<void> {
  await db.deleteFrom("sign_in_counters").where("key", "in", keys).execute();
}

/** Forgets what was counted for an account; returns how many counters there were. */
export async function deleteSignInCountersOf(db: Db, account: string): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom("sign_in_counters")
    .where("account", "=", account)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes counters that no longer count. */
export async function purgeSignInCounters(db: Db, at: number): Promise<void> {
  await db.deleteFrom("sign_in_counters").where("expires_at", "<=", at).execute();
}

/**
 * Deletes a tenth when there are more than `max`. Those with the fewest failures go first, so that a
 * flood of new names does not make room for more guesses at one account.
 */
export async function trimSignInCounters(db: Db, max: number): Promise<void> {
  const { kept } = await db
    .selectFrom("sign_in_counters")
    .select((counter) => counter.fn.countAll<number>().as("kept"))
    .executeTakeFirstOrThrow();
  if (Number(kept) <= max) return;
  const excess = Number(kept) - Math.floor(max * 0.9);
  await db
    .deleteFrom("sign_in_counters")
    .where("key", "in", (counters) =>
      counters
        .selectFrom("sign_in_counters")
        .select("key")
        .orderBy("failures")
        .orderBy("expires_at")
        .limit(excess),
    )
    .execute();
}

function toCounter(counter: Tables["sign_in_counters"]): SignInCounter {
  return {
    key: counter.key,
    account: counter.account,
    failures: counter.failures,
    firstAt: counter.first_at,
    lastAt: counter.last_at,
    expiresAt: counter.expires_at,
  };
}
