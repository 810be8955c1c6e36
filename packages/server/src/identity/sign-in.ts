import { recordChange, stampChange } from "../changes/record-change.ts";
import type { Config } from "../config.ts";
import { toClientNetworks } from "../lib/network/trusted-proxies.ts";
import { type Db, type Transaction, transaction } from "../store/database/database.ts";
import { findPassword, setPassword } from "../store/users/passwords-table.ts";
import { listSecondFactors } from "../store/users/second-factors-table.ts";
import { deleteSessionsOf } from "../store/users/sessions-table.ts";
import { findUserByEmail, findUserById, type User } from "../store/users/users-table.ts";
import type { Sessions, SignedIn } from "./browser-sessions.ts";
import type { HashQueueKey } from "./hash-queue.ts";
import type { KnownBrowsers } from "./known-browsers.ts";
import { findPasswordFault, type Passwords, passwordCharsMax } from "./password-hashes.ts";
import { type FactorStep, findFactorStep, toPasswordMark } from "./second-factor/factor-step.ts";
import { toSignInRefusal } from "./sign-in-refusal.ts";
import type { BegunAttempt, SignInAttempt, SignInThrottle } from "./sign-in-throttle.ts";

type SignInDeps = {
  db: Db;
  now: () => number;
  passwords: Passwords;
  sessions: Pick<Sessions, "prepare" | "prepareRenewal">;
  throttle: SignInThrottle;
  knownBrowsers: Pick<KnownBrowsers, "find">;
  /** Who needs a second factor. */
  secondFactor: Config["secondFactor"];
};

/** The origin of a request. */
export type Visitor = { ipAddress: string | null; userAgent: string | null };

/** Sign-in by password, and password changes. */
export type SignIn = {
  /**
   * Begins a session, or the step after the password; null if e-mail or password are wrong. An
   * account that does not exist, has no password or is disabled gets the same answer after the
   * same work.
   */
  byPassword(given: GivenPassword, visitor: Visitor): Promise<PasswordOutcome | null>;
  /**
   * A user of a session who has no second factor proves again who they are. The session gets another token, so that copies of it
   * open nothing; resolves with the token, or null for a wrong password.
   */
  confirm(signedIn: SignedIn, password: string, visitor: Visitor): Promise<string | null>;
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

/** The token of the new session, or what must come before it. */
export type PasswordOutcome =
  | { token: string }
  | { next: FactorStep; userId: string; passwordMark: string };

type GivenPassword = { email: string; password: string; browserCookie: string | null };
type PasswordChange = { current: string; next: string; repeated: string };
type PasswordFault = { field: keyof PasswordChange; fault: string };

export function createSignIn(deps: SignInDeps): SignIn {
  return {
    byPassword: (given, visitor) => signInByPassword(deps, given, visitor),
    confirm: (signedIn, password, visitor) => confirmPassword(deps, signedIn, password, visitor),
    changePassword: (signedIn, given, visitor) => changePassword(deps, signedIn, given, visitor),
  };
}

async function signInByPassword(
  deps: SignInDeps,
  given: GivenPassword,
  visitor: Visitor,
): Promise<PasswordOutcome | null> {
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
    const present = await findStillRight(trx, user.id, hash);
    if (present === null) return null;
    const next = await findFactorStep(trx, deps, present);
    if (next !== null) return { next, userId: user.id, passwordMark: toPasswordMark(hash) };
    await session.begin(trx, user.id);
    return { token: session.token };
  });
}

async function confirmPassword(
  deps: SignInDeps,
  { user, sessionId }: SignedIn,
  given: string,
  visitor: Visitor,
): Promise<string | null> {
  const { db, sessions } = deps;
  const attempt = { account: user.email, address: visitor.ipAddress, session: sessionId };
  const hash = (await findPassword(db, user.id))?.hash ?? null;
  const right = await tryPassword(deps, attempt, given.slice(0, passwordCharsMax + 1), hash);
  if (right === null) return null;
  await right.succeed();
  const session = sessions.prepareRenewal(sessionId);
  return await transaction(db, async (trx) => {
    // A password proves nothing about who has a second factor, also if it was added meanwhile.
    if ((await listSecondFactors(trx, user.id)).length > 0) return null;
    if ((await findStillRight(trx, user.id, hash)) === null) return null;
    return (await session.renew(trx)) ? session.token : null;
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
  if ("limit" in begun) throw toSignInRefusal(begun);
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
  { user, sessionId, freshAt }: SignedIn,
  given: PasswordChange,
  visitor: Visitor,
): Promise<{ token: string } | PasswordFault> {
  const attempt = { account: user.email, address: visitor.ipAddress, session: sessionId };
  const stored = await findPassword(deps.db, user.id);
  const fault = await findChangeFault(deps, { user, stored, attempt }, given);
  if (fault !== null) return fault;
  const hash = await deps.passwords.hash(given.next, toHashQueueKey(attempt));
  const token = await storePassword(deps, { user, stored, hash, freshAt }, visitor);
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
  {
    user,
    stored,
    hash,
    freshAt,
  }: { user: User; stored: StoredPassword; hash: string; freshAt: number },
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
    // A password that was entered is no proof where a second factor is.
    await session.begin(trx, id, { freshAt });
    return session.token;
  });
}

/**
 * The user, if a compared password is still theirs. A comparison takes time. A password change or the
 * disabling of the user in between ended the sessions that existed then.
 */
async function findStillRight(
  trx: Transaction,
  userId: string,
  hash: string | null,
): Promise<User | null> {
  const present = await findUserById(trx, userId);
  if (present === null || present.status === "disabled") return null;
  return ((await findPassword(trx, userId))?.hash ?? null) === hash ? present : null;
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
