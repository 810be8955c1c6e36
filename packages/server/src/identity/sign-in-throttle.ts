import { createHash } from "node:crypto";
import { toClientArea, toClientNetwork } from "../lib/trusted-proxies.ts";
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
  /**
   * An account from around one network, once the account is slowed down. So many attempts from there
   * need not wait: else a stranger who tries at each first moment keeps everybody else waiting.
   */
  area: { failuresMax: 3, windowMs: 24 * 60 * minuteMs },
  /** One network at every account. A delay, since many people may share an address. */
  network: { failuresMax: 60, windowMs: 15 * minuteMs, delayMsMax: 10_000 },
} satisfies Record<string, Rule>;
type Counter = keyof typeof signInRules;
/** The counters for which an attempt may have to wait. */
export type SignInLimit = Exclude<Counter, "area">;

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
      let put: readonly Counted[] = [];
      const wait = await inTransaction(db, async (trx) => {
        // Read again under the lock: of two processes one is first.
        const found = await findSignInCounters(trx, { keys, at });
        const late = findWait(counted, found, at);
        if (late !== null) return late;
        put = isSlowed(counted, found) ? counted : counted.filter(isNoArea);
        for (const one of put) await putSignInCounter(trx, toNext(one, found.get(one.key), at));
        if (put.some(({ key }) => !found.has(key))) await trimSignInCounters(trx, countersMax);
        return null;
      });
      if (wait !== null) return wait;
      const isDelay = ({ limit }: Counted) => "delayMsMax" in signInRules[limit];
      const delays = put.filter(isDelay).map(({ key }) => key);
      const others = put.map(({ key }) => key).filter((key) => !delays.includes(key));
      return {
        succeed: () =>
          inTransaction(db, async (trx) => {
            await deleteSignInCounters(trx, others);
            // The owner is there; of other people's attempts that proves nothing.
            await takeBackSignIn(trx, delays);
          }),
        release: () => inTransaction(db, (trx) => takeBackSignIn(trx, [...others, ...delays])),
      };
    },
  };
}

/** Forgets every guess at an account, in each browser and network; returns how many counters went. */
export function liftSignInLimits(db: Db, email: string): Promise<number> {
  return deleteSignInCountersOf(db, toHash("account", email));
}

type Counted = { limit: Counter; key: string; account: string | null };

function toCounted({ account, address, browser = null, session }: SignInAttempt): Counted[] {
  const owner = toHash("account", account);
  const toOne = (limit: Counter, id: string, of: string | null = owner): Counted => ({
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
    toOne("area", toHash("area", account, toClientArea(address ?? ""))),
    toOne("network", toHash("network", network), null),
  ];
}

/** The longest of the waits that hold now; null where none does. */
function findWait(
  counted: readonly Counted[],
  found: ReadonlyMap<string, SignInCounter>,
  at: number,
): { limit: SignInLimit; waitMs: number } | null {
  const isNewArea = counted.some(
    ({ limit, key }) =>
      limit === "area" && (found.get(key)?.failures ?? 0) < signInRules.area.failuresMax,
  );
  const waits = counted.flatMap(({ limit, key }) => {
    if (limit === "area" || (limit === "account" && isNewArea)) return [];
    const counter = found.get(key);
    const waitMs = counter === undefined ? 0 : toFreeAt(signInRules[limit], counter, at) - at;
    return waitMs > 0 ? [{ limit, waitMs }] : [];
  });
  return waits.toSorted((one, other) => other.waitMs - one.waitMs)[0] ?? null;
}

const isNoArea = ({ limit }: Counted): boolean => limit !== "area";

/** Whether attempts at the account have to wait. Before that, nothing is asked of areas. */
function isSlowed(counted: readonly Counted[], found: ReadonlyMap<string, SignInCounter>): boolean {
  const account = counted.find(({ limit }) => limit === "account");
  const failures = account === undefined ? 0 : (found.get(account.key)?.failures ?? 0);
  return failures >= signInRules.account.failuresMax;
}

function toFreeAt(rule: Rule, { failures, firstAt, lastAt }: SignInCounter, at: number): number {
  if (failures < rule.failuresMax) return 0;
  if (!("delayMsMax" in rule)) return firstAt + rule.windowMs;
  // A clock that was set back must not lengthen a delay.
  if (lastAt > at) return 0;
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
