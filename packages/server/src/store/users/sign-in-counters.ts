import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { Tables } from "../database/tables.ts";

/** Counts sign-in attempts that failed or are in progress. Times are epoch ms. */
export type SignInCounter = {
  key: string;
  /** Hash of the account; null for a counter that is not of a single account. */
  account: string | null;
  failures: number;
  firstAt: number;
  lastAt: number;
  expiresAt: number;
};

/**
 * How far a counter may be ahead of the clock, which may be set back or differ between processes.
 */
const aheadMsMax = 15 * 60_000;

/**
 * The valid counters with these keys. A counter from far ahead was written with a wrong clock. It
 * would lock users out until the right clock reaches its time, so it is ignored.
 */
export async function findSignInCounters(
  db: Db,
  { keys, at }: { keys: readonly string[]; at: number },
): Promise<Map<string, SignInCounter>> {
  const counters = await toKysely(db)
    .selectFrom("sign_in_counters")
    .select(tableColumns.sign_in_counters)
    .where("key", "in", keys)
    .where("expires_at", ">", at)
    .where("first_at", "<=", at + aheadMsMax)
    .execute();
  return new Map(counters.map((counter) => [counter.key, toCounter(counter)]));
}

/** The valid counters whose keys have a prefix, with the most failures first, and all their failures. */
export async function listSignInCounters(
  db: Db,
  { prefix, at, limit }: { prefix: string; at: number; limit: number },
): Promise<{ counters: SignInCounter[]; failures: number }> {
  const valid = toKysely(db)
    .selectFrom("sign_in_counters")
    .where("key", "like", `${prefix}%`)
    .where("expires_at", ">", at)
    .where("first_at", "<=", at + aheadMsMax);
  const counters = await valid
    .select(tableColumns.sign_in_counters)
    .orderBy("failures", "desc")
    .orderBy("key")
    .limit(limit)
    .execute();
  const { failures } = await valid
    .select((counter) => counter.fn.sum<number | null>("failures").as("failures"))
    .executeTakeFirstOrThrow();
  return { counters: counters.map(toCounter), failures: Number(failures ?? 0) };
}

export async function putSignInCounter(db: Db, counter: SignInCounter): Promise<void> {
  const { key, account, failures } = counter;
  const times = {
    first_at: counter.firstAt,
    last_at: counter.lastAt,
    expires_at: counter.expiresAt,
  };
  await toKysely(db)
    .insertInto("sign_in_counters")
    .values({ key, account, failures, ...times })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ failures, ...times }))
    .execute();
}

/** Takes one attempt back. Deletes counters that reach 0. */
export async function takeBackSignIn(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return;
  await toKysely(db)
    .updateTable("sign_in_counters")
    .set((counter) => ({ failures: counter("failures", "-", 1) }))
    .where("key", "in", keys)
    .execute();
  await toKysely(db)
    .deleteFrom("sign_in_counters")
    .where("key", "in", keys)
    .where("failures", "<=", 0)
    .execute();
}

export async function deleteSignInCounters(db: Db, keys: readonly string[]): Promise<void> {
  await toKysely(db).deleteFrom("sign_in_counters").where("key", "in", keys).execute();
}

/** Deletes the counters of an account; returns their number. */
export async function deleteSignInCountersOf(db: Db, account: string): Promise<number> {
  const { numDeletedRows } = await toKysely(db)
    .deleteFrom("sign_in_counters")
    .where("account", "=", account)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** Deletes expired counters. */
export async function purgeSignInCounters(db: Db, at: number): Promise<void> {
  await toKysely(db).deleteFrom("sign_in_counters").where("expires_at", "<=", at).execute();
}

/**
 * Deletes a tenth of the counters if there are more than `max`, those with the fewest failures
 * first, so that a flood of new names does not reset the counter of an attacked account.
 */
export async function trimSignInCounters(db: Db, max: number): Promise<void> {
  const { kept } = await toKysely(db)
    .selectFrom("sign_in_counters")
    .select((counter) => counter.fn.countAll<number>().as("kept"))
    .executeTakeFirstOrThrow();
  if (Number(kept) <= max) return;
  const excess = Number(kept) - Math.floor(max * 0.9);
  await toKysely(db)
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
