import { createHash } from "node:crypto";
import { toClientNetworks } from "../lib/network/trusted-proxies.ts";
import { type Db, exclusiveTransaction } from "../store/database/database.ts";
import {
  deleteSignInCounters,
  deleteSignInCountersOf,
  findSignInCounters,
  listSignInCounters,
  putSignInCounter,
  type SignInCounter,
  takeBackSignIn,
  trimSignInCounters,
} from "../store/users/sign-in-counters.ts";

const minuteMs = 60_000;

type Rule =
  /** After `failuresMax` failures, all attempts are refused until the window ends. */
  | { failuresMax: number; windowMs: number }
  /** After `failuresMax` failures, each attempt waits longer than the last, up to `delayMsMax`. */
  | { failuresMax: number; windowMs: number; delayMsMax: number };

/** The counters and their limits. */
export const signInRules = {
  /** One account from one network, without the attempts of other networks. */
  pair: { failuresMax: 10, windowMs: 15 * minuteMs },
  /** One account in a browser in which its user signed in before: strangers cannot use it up. */
  browser: { failuresMax: 10, windowMs: 15 * minuteMs },
  /** The current password, entered by a signed-in user. */
  session: { failuresMax: 10, windowMs: 15 * minuteMs },
  /** One account from all networks. A delay and no lock: its owner may be in a new network. */
  account: { failuresMax: 100, windowMs: 24 * 60 * minuteMs, delayMsMax: 30_000 },
  /**
   * One account from one area of networks, counted while the account is slowed down. The first
   * attempts of an area need not wait. Otherwise a stranger who uses every free slot blocks the
   * owner.
   */
  area: { failuresMax: 3, windowMs: 24 * 60 * minuteMs },
  /** One network at all accounts. A delay, because many users may share an address. */
  network: { failuresMax: 60, windowMs: 15 * minuteMs, delayMsMax: 10_000 },
  /**
   * Codes of a second factor, after the right password: there are few, so all networks count together. Passkeys,
   * recovery codes and browsers in which the user signed in before are not affected.
   */
  factor: { failuresMax: 10, windowMs: 15 * minuteMs },
  /** The same over a day. So a code of six digits is guessed with a chance of 1 to 6,000 a day at most. */
  factor_day: { failuresMax: 50, windowMs: 24 * 60 * minuteMs },
  /** Codes in a browser in which the user signed in before. */
  factor_browser: { failuresMax: 20, windowMs: 24 * 60 * minuteMs },
  /** Codes of a signed-in user. */
  factor_session: { failuresMax: 20, windowMs: 24 * 60 * minuteMs },
} satisfies Record<string, Rule>;
type Counter = keyof typeof signInRules;
/** The counters for which an attempt may have to wait. */
export type SignInLimit = Exclude<Counter, "area">;

/** All counters together take about 3 MB, so that strangers cannot fill the disk. */
const countersMax = 20_000;

/** The account of an attempt, and its origin. */
export type SignInAttempt = {
  /** The e-mail as it was typed, in lower case. It need not exist. */
  account: string;
  address: string | null;
  /** Id of the browser, if the account's user signed in there before. */
  browser?: string | null;
  /** Id of the session, if a signed-in user enters the current password. */
  session?: string;
  /** A code of the second factor is tried, not a password. */
  isFactor?: boolean;
};

/** An allowed attempt. It counts as failed until one of these is called. */
export type BegunAttempt = {
  /** The password was right. */
  succeed(): Promise<void>;
  /** No password was compared. */
  release(): Promise<void>;
};

export type SignInThrottle = ReturnType<typeof createSignInThrottle>;

/**
 * Slows down guessing. It does not check whether the account exists, so its result does not reveal
 * that. The counters are in the database: processes share them, and they survive a restart.
 */
export function createSignInThrottle({ db, now }: { db: Db; now: () => number }) {
  return {
    /**
     * Counts an attempt as failed before it is made, so that concurrent attempts count like
     * attempts in a row. Above a limit nothing is counted; the result names the limit and the time
     * to wait.
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
      const counting = await exclusiveTransaction(db, keys, async (trx) => {
        // Read again in the transaction: another process may have counted meanwhile.
        const found = await findSignInCounters(trx, { keys, at });
        const late = findWait(counted, found, at);
        if (late !== null) return late;
        const put = isSlowed(counted, found) ? counted : counted.filter(isNoArea);
        for (const one of put) await putSignInCounter(trx, toNext(one, found.get(one.key), at));
        if (put.some(({ key }) => !found.has(key))) await trimSignInCounters(trx, countersMax);
        return { put };
      });
      if ("limit" in counting) return counting;
      const { put } = counting;
      const isDelay = ({ limit }: Counted) => "delayMsMax" in signInRules[limit];
      const delays = put.filter(isDelay).map(({ key }) => key);
      const others = put.map(({ key }) => key).filter((key) => !delays.includes(key));
      return {
        succeed: () =>
          exclusiveTransaction(db, keys, async (trx) => {
            await deleteSignInCounters(trx, others);
            // Only this attempt is known to be the owner's; the others may be guesses.
            await takeBackSignIn(trx, delays);
          }),
        release: () =>
          exclusiveTransaction(db, keys, (trx) => takeBackSignIn(trx, [...others, ...delays])),
      };
    },
  };
}

/** Deletes all counters of an account, for every browser and network; returns their number. */
export function liftSignInLimits(db: Db, email: string): Promise<number> {
  return deleteSignInCountersOf(db, toAccountHash(email));
}

/** An account by the hash of its e-mail, with the failures of its current window. */
type FailedAccount = { hash: string; refused: number };

const failedAccountsMax = 1000;

/** The accounts with the most failures, and the number of all failures. */
export async function listFailedAccounts(
  db: Db,
  { at }: { at: number },
): Promise<{ accounts: FailedAccount[]; refused: number }> {
  const kind: Counter = "account";
  const given = { prefix: `${kind}:`, at, limit: failedAccountsMax };
  const { counters, failures } = await listSignInCounters(db, given);
  const accounts = counters.flatMap(({ account, failures: refused }) =>
    account === null ? [] : [{ hash: account, refused }],
  );
  return { accounts, refused: failures };
}

/** The hash of an account in the counters. */
export function toAccountHash(email: string): string {
  return toHash("account", email);
}

type Counted = { limit: Counter; key: string; account: string | null };

function toCounted({
  account,
  address,
  browser = null,
  session,
  isFactor = false,
}: SignInAttempt): Counted[] {
  const owner = toAccountHash(account);
  const toOne = (limit: Counter, id: string, of: string | null = owner): Counted => ({
    limit,
    key: `${limit}:${id}`,
    account: of,
  });
  if (session !== undefined) return [toOne(isFactor ? "factor_session" : "session", session)];
  if (browser !== null) return [toOne(isFactor ? "factor_browser" : "browser", browser)];
  if (isFactor) return [toOne("factor", owner), toOne("factor_day", owner)];
  const { network, area } = toClientNetworks(address ?? "");
  return [
    toOne("pair", toHash("pair", account, network)),
    toOne("account", owner),
    toOne("area", toHash("area", account, area)),
    toOne("network", toHash("network", network), null),
  ];
}

/** The longest current wait; null if the attempt need not wait. */
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

/** Whether attempts at the account have to wait. Areas are counted only then. */
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

/** Stores only a hash of the typed text, which may be a password in the wrong field. */
function toHash(...parts: readonly string[]): string {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest();
  return hash.subarray(0, 16).toString("base64url");
}
