import { createHash } from "node:crypto";
import { toClientNetwork } from "../lib/trusted-proxies.ts";
import { inTransaction } from "../store/in-transaction.ts";
import {
  deleteSignInCounters,
  deleteSignInCountersOf,
  findSignInCounters,
  putSignInCounter,
  type SignInCounter,
  takeBackSignIn,
  trimSignInCounters,
} from "../store/sign-in-counters.ts";
import type { Db } from "../store/tables.ts";

const minuteMs = 60_000;

type Rule =
  /** After so many failures, nothing more until the window is over. */
  | { failuresMax: number; windowMs: number }
  /** After so many, each attempt waits longer than the one before; never longer than `delayMsMax`. */
  | { failuresMax: number; windowMs: number; delayMsMax: number };

/** What is counted, and what follows from it. */
export const signInRules = {
  /** An account from one network. Another network's guesses do not count here. */
  pair: { failuresMax: 10, windowMs: 15 * minuteMs },
  /** An account in a browser in which its user signed in before: strangers cannot use it up. */
  browser: { failuresMax: 10, windowMs: 15 * minuteMs },
  /** The current password, asked of somebody who is signed in. */
  session: { failuresMax: 10, windowMs: 15 * minuteMs },
  /** An account from everywhere. A delay and no lock: its owner may be at a new place. */
  account: { failuresMax: 100, windowMs: 24 * 60 * minuteMs, delayMsMax: 30_000 },
  /** One network at every account. A delay, since many people may share an address. */
  network: { failuresMax: 60, windowMs: 15 * minuteMs, delayMsMax: 10_000 },
} satisfies Record<string, Rule>;
export type SignInLimit = keyof typeof signInRules;

/** All counters together are about 3 MB: strangers cannot fill the disk. */
const countersMax = 20_000;

/** Who tries which account. */
export type SignInAttempt = {
  /** The e-mail as it was typed, in lower case; it need not be anybody's. */
  account: string;
  address: string | null;
  /** Id of the browser, where the account's user signed in there before. */
  browser?: string | null;
  /** Id of the session, where a signed-in person is asked for the current password. */
  session?: string;
};

/** An attempt that may be made; it counts as failed until one of these is called. */
export type BegunAttempt = {
  /** The password was right. */
  succeed(): Promise<void>;
  /** Nothing was tried. */
  release(): Promise<void>;
};

export type SignInThrottle = ReturnType<typeof createSignInThrottle>;

/**
 * Slows down guessing. It asks nothing about whether the account is there, so that its answer tells
 * nothing about that either. The counters are in the database: processes share them, and a restart
 * forgets nothing.
 */
export function createSignInThrottle({ db, now }: { db: Db; now: () => number }) {
  return {
    /**
     * Counts an attempt as failed before it is made, so that many made at once are as many as many in
     * a row. Past a limit nothing is counted, and the answer says which limit and how long it holds.
     */
    async begin(
      attempt: SignInAttempt,
    ): Promise<BegunAttempt | { limit: SignInLimit; waitMs: number }> {
      const at = now();
      const counted = toCounted(attempt);
      const keys = counted.map(({ key }) => key);
      // Most refusals end here, without the write lock.
      const early = findWait(counted, await findSignInCounters(db, { keys, at }), at);
      if (early !== null) return early;
      const wait = await inTransaction(db, async (trx) => {
        // Read again under the lock: of two processes one is first.
        const found = await findSignInCounters(trx, { keys, at });
        const late = findWait(counted, found, at);
        if (late !== null) return late;
        for (const one of counted) await putSignInCounter(trx, toNext(one, found.get(one.key), at));
        if (found.size < keys.length) await trimSignInCounters(trx, countersMax);
        return null;
      });
      if (wait !== null) return wait;
      const isDelay = ({ limit }: Counted) => "delayMsMax" in signInRules[limit];
      const delays = counted.filter(isDelay).map(({ key }) => key);
      const locks = keys.filter((key) => !delays.includes(key));
      return {
        succeed: () =>
          inTransaction(db, async (trx) => {
            await deleteSignInCounters(trx, locks);
            // The owner is there; of other people's attempts that proves nothing.
            await takeBackSignIn(trx, delays);
          }),
        release: () => inTransaction(db, (trx) => takeBackSignIn(trx, keys)),
      };
    },
  };
}

/** Forgets every guess at an account, in each browser and network; returns how many counters went. */
export function liftSignInLimits(db: Db, email: string): Promise<number> {
  return deleteSignInCountersOf(db, toHash("account", email));
}

type Counted = { limit: SignInLimit; key: string; account: string | null };

function toCounted({ account, address, browser = null, session }: SignInAttempt): Counted[] {
  const owner = toHash("account", account);
  const toOne = (limit: SignInLimit, id: string, of: string | null = owner): Counted => ({
    limit,
    key: `${limit}:${id}`,
    account: of,
  });
  if (session !== undefined) return [toOne("session", session)];
  if (browser !== null) return [toOne("browser", browser)];
  const network = toClientNetwork(address ?? "");
  return [
    toOne("pair", toHash("pair", account, network)),
    toOne("account", owner),
    toOne("network", toHash("network", network), null),
  ];
}

/** The longest of the waits that hold now; null where none does. */
function findWait(
  counted: readonly Counted[],
  found: ReadonlyMap<string, SignInCounter>,
  at: number,
): { limit: SignInLimit; waitMs: number } | null {
  const waits = counted.flatMap(({ limit, key }) => {
    const counter = found.get(key);
    const waitMs = counter === undefined ? 0 : toFreeAt(signInRules[limit], counter) - at;
    return waitMs > 0 ? [{ limit, waitMs }] : [];
  });
  return waits.toSorted((one, other) => other.waitMs - one.waitMs)[0] ?? null;
}

function toFreeAt(rule: Rule, { failures, firstAt, lastAt }: SignInCounter): number {
  if (failures < rule.failuresMax) return 0;
  if (!("delayMsMax" in rule)) return firstAt + rule.windowMs;
  return lastAt + Math.min(rule.delayMsMax, 1000 * 2 ** (failures - rule.failuresMax));
}

function toNext(
  { limit, key, account }: Counted,
  before: SignInCounter | undefined,
  at: number,
): SignInCounter {
  const firstAt = before?.firstAt ?? at;
  const failures = (before?.failures ?? 0) + 1;
  const expiresAt = firstAt + signInRules[limit].windowMs;
  return { key, account, failures, firstAt, lastAt: at, expiresAt };
}

/** A typed text may be a password in the wrong field: only its hash is kept. */
function toHash(...parts: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest();
  return hash.subarray(0, 16).toString("base64url");
}
