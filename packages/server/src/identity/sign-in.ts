import { recordChange, stampChange } from "../changes/record-change.ts";
import { HubError } from "../errors.ts";
import { toClientNetworks } from "../lib/network/trusted-proxies.ts";
import { type Db, type Transaction, transaction } from "../store/database/database.ts";
import { findPassword, setPassword } from "../store/users/passwords-table.ts";
import { deleteSessionsOf } from "../store/users/sessions-table.ts";
import { findUserByEmail, findUserById, type User } from "../store/users/users-table.ts";
import type { Sessions, SignedIn } from "./browser-sessions.ts";
import type { HashQueueKey } from "./hash-queue.ts";
import type { KnownBrowsers } from "./known-browsers.ts";
import { findPasswordFault, type Passwords, passwordCharsMax } from "./password-hashes.ts";
import {
  type BegunAttempt,
  type SignInAttempt,
  type SignInLimit,
  type SignInThrottle,
  signInRules,
} from "./sign-in-throttle.ts";

type SignInDeps = {
  db: Db;
  now: () => number;
  passwords: Passwords;
  sessions: Pick<Sessions, "prepare">;
  throttle: SignInThrottle;
  knownBrowsers: Pick<KnownBrowsers, "find">;
};

/** The origin of a request. */
export type Visitor = { ipAddress: string | null; userAgent: string | null };

/** Sign-in by password, and password changes. */
export type SignIn = {
  /**
   * Begins a session; resolves with its token, or null if e-mail or password are wrong. An
   * account that does not exist, has no password or is disabled gets the same answer after the
   * same work.
   */
  byPassword(given: GivenPassword, visitor: Visitor): Promise<string | null>;
  /**
   * Sets a new password, ends all of the user's sessions, and begins a new one; resolves with its
   * token, or with the wrong field. The current password is checked, but not a one-time password:
   * the user has just entered it, and its session can do nothing else.
   */
  changePassword(
    signedIn: SignedIn,
    given: PasswordChange,
    visitor: Visitor,
  ): Promise<{ token: string } | PasswordFault>;
};

type GivenPassword = { email: string; password: string; browserCookie: string | null };
type PasswordChange = { current: string; next: string; repeated: string };
type PasswordFault = { field: keyof PasswordChange; fault: string };

export function createSignIn(deps: SignInDeps): SignIn {
  return {
    byPassword: (given, visitor) => signInByPassword(deps, given, visitor),
    changePassword: (signedIn, given, visitor) => changePassword(deps, signedIn, given, visitor),
  };
}

async function signInByPassword(
  deps: SignInDeps,
  given: GivenPassword,
  visitor: Visitor,
): Promise<string | null> {
  const { db, sessions, knownBrowsers } = deps;
  const email = given.email.trim().toLowerCase().slice(0, 254);
  const user = await findUserByEmail(db, email);
  const hash = user === null ? null : ((await findPassword(db, user.id))?.hash ?? null);
  const browser =
    user === null ? null : knownBrowsers.find(given.browserCookie, { id: user.id, hash });
  const attempt = { account: email, address: visitor.ipAddress, browser };
  const password = given.password.slice(0, passwordCharsMax + 1);
  const right = await tryPassword(deps, attempt, password, hash);
  if (user === null || right === null || user.status === "disabled") return null;
  await right.succeed();
  const session = sessions.prepare(visitor);
  return await transaction(db, async (trx) => {
    if (!(await isStillRight(trx, user, hash))) return null;
    await session.begin(trx, user.id);
    return session.token;
  });
}

/**
 * Compares a password as one attempt. Null if it is wrong; then the attempt counts. A comparison
 * that fails (full queue, database error) does not count.
 */
async function tryPassword(
  { passwords, throttle }: SignInDeps,
  attempt: SignInAttempt,
  password: string,
  stored: string | null,
): Promise<BegunAttempt | null> {
  // First, so that a request refused by the full queue costs no write.
  passwords.checkCapacity(toHashQueueKey(attempt));
  const begun = await throttle.begin(attempt);
  if ("limit" in begun) throw toRefusal(begun);
  try {
    const isRight = await passwords.verify(password, stored, toHashQueueKey(attempt));
    return isRight ? begun : null;
  } catch (failure) {
    await begun.release();
    throw failure;
  }
}

async function changePassword(
  deps: SignInDeps,
  { user, sessionId }: SignedIn,
  given: PasswordChange,
  visitor: Visitor,
): Promise<{ token: string } | PasswordFault> {
  const attempt = { account: user.email, address: visitor.ipAddress, session: sessionId };
  const stored = await findPassword(deps.db, user.id);
  const fault = await findChangeFault(deps, { user, stored, attempt }, given);
  if (fault !== null) return fault;
  const hash = await deps.passwords.hash(given.next, toHashQueueKey(attempt));
  const token = await storePassword(deps, { user, stored, hash }, visitor);
  return token === null ? wrongCurrent : { token };
}

type StoredPassword = Awaited<ReturnType<typeof findPassword>>;

const wrongCurrent = { field: "current", fault: "This is not the current password." } as const;

/** Compares what the user gave with what is stored, one field after the other. */
async function findChangeFault(
  deps: SignInDeps,
  { user, stored, attempt }: { user: User; stored: StoredPassword; attempt: SignInAttempt },
  given: PasswordChange,
): Promise<PasswordFault | null> {
  const storedHash = stored?.hash ?? null;
  const isOneTime = stored?.mustChange === true;
  if (!isOneTime) {
    const current = given.current.slice(0, passwordCharsMax + 1);
    const right = await tryPassword(deps, attempt, current, storedHash);
    if (right === null) return wrongCurrent;
    await right.succeed();
  }
  const fault = findPasswordFault(given.next, user);
  if (fault !== null) return { field: "next", fault };
  const isSame = isOneTime
    ? await deps.passwords.verify(given.next, storedHash, toHashQueueKey(attempt))
    : given.next === given.current;
  if (isSame) return { field: "next", fault: "Use a password other than the current one." };
  if (given.repeated === given.next) return null;
  return { field: "repeated", fault: "This is not the same as the new password." };
}

/** Null if the password was changed since it was compared. */
async function storePassword(
  { db, now, sessions }: SignInDeps,
  { user, stored, hash }: { user: User; stored: StoredPassword; hash: string },
  visitor: Visitor,
): Promise<string | null> {
  const { id, email } = user;
  const { ipAddress: ip } = visitor;
  const actor = { userId: id, email, tokenId: null, via: "session", ip } as const;
  const at = now();
  const stamp = stampChange(actor, at);
  const session = sessions.prepare(visitor);
  return await transaction(db, async (trx) => {
    // An admin may have set another password meanwhile; that one stays.
    if ((await findPassword(trx, id))?.hash !== stored?.hash) return null;
    await setPassword(trx, id, { hash, mustChange: false }, at);
    // Ends sessions that were opened with the old password, and this one's old id.
    await deleteSessionsOf(trx, id);
    const change = { action: "user.change_password", kind: "user", id, name: email } as const;
    await recordChange(trx, stamp, change);
    await session.begin(trx, id);
    return session.token;
  });
}

/**
 * Whether a compared password is still the user's. A comparison takes time. A password change or the
 * disabling of the user in between ended the sessions that existed then.
 */
async function isStillRight(trx: Transaction, user: User, hash: string | null): Promise<boolean> {
  const present = await findUserById(trx, user.id);
  if (present === null || present.status === "disabled") return false;
  return ((await findPassword(trx, user.id))?.hash ?? null) === hash;
}

function toHashQueueKey({
  account,
  address,
  browser = null,
  session,
}: SignInAttempt): HashQueueKey {
  // By account, so that a user with many sessions gets no larger share.
  if (session !== undefined || browser !== null) return { owner: account, lane: "known" };
  const { network, area } = toClientNetworks(address ?? "");
  return { owner: network, area, lane: "strangers" };
}

const { failuresMax: tries } = signInRules.pair;
const whatHappened: Record<SignInLimit, string> = {
  pair: `There were ${tries} wrong passwords for this account from your network.`,
  browser: `There were ${tries} wrong passwords for this account in this browser.`,
  session: `There were ${tries} wrong passwords in this session.`,
  account: "There were many wrong passwords for this account from other places.",
  network: "There were many wrong passwords from your network.",
};

/** Names the limit and the time to wait. The text is the same whether the account exists or not. */
function toRefusal({ limit, waitMs }: { limit: SignInLimit; waitMs: number }): HubError {
  const seconds = Math.ceil(waitMs / 1000);
  const minutes = Math.ceil(waitMs / 60_000);
  const wait = seconds <= 90 ? toCount(seconds, "second") : toCount(minutes, "minute");
  const others: Partial<Record<SignInLimit, string>> = {
    pair: " Other networks, and browsers in which you signed in before, are not affected. An admin can end the wait.",
    browser: " An admin can end the wait.",
    session: " An admin can end the wait.",
  };
  return new HubError(
    "rate_limited",
    `${whatHappened[limit]} Try again in ${wait}.${others[limit] ?? ""}`,
    { detail: { retry_after_s: seconds } },
  );
}

function toCount(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
