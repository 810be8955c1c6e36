import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import { findPassword } from "../../store/users/passwords-table.ts";
import { findUserById, type User } from "../../store/users/users-table.ts";
import type { Sessions, SignedIn } from "../browser-sessions.ts";
import type { KnownBrowsers } from "../known-browsers.ts";
import type { Visitor } from "../sign-in.ts";
import { toPasswordMark } from "./factor-step.ts";
import {
  type FactorProof,
  findFactorProof,
  findPasskeyProof,
  type GivenFactor,
  type GivenPasskey,
  type ProveDeps,
} from "./prove-factor.ts";
import type { HalfWay } from "./sealed-state.ts";

export type FactorSignInDeps = ProveDeps & {
  sessions: Pick<Sessions, "prepare" | "prepareRenewal">;
  knownBrowsers: Pick<KnownBrowsers, "find">;
};

/** The user of a half-way sign-in; null if the password was changed since, or the user disabled. */
export async function findHalfWayUser(
  trx: ProveDeps["db"] | Transaction,
  { userId, password }: Pick<HalfWay, "userId" | "password">,
): Promise<{ user: User; hash: string | null } | null> {
  const user = await findUserById(trx, userId);
  const hash = (await findPassword(trx, userId))?.hash ?? null;
  if (user === null || user.status === "disabled" || hash === null) return null;
  return toPasswordMark(hash) === password ? { user, hash } : null;
}

/**
 * Completes a sign-in whose password was right. Resolves with the session's token; null if the factor is wrong. Throws
 * `rate_limited` after too many wrong codes, and `forbidden` for a sign-in that is over.
 */
export async function finishWithFactor(
  deps: FactorSignInDeps,
  halfWay: HalfWay,
  given: GivenFactor,
  { browserCookie, ...visitor }: Visitor & { browserCookie: string | null },
): Promise<string | null> {
  const found = await findHalfWayUser(deps.db, halfWay);
  if (found === null) throw refuseHalfWay();
  const { user, hash } = found;
  const browser = deps.knownBrowsers.find(browserCookie, { id: user.id, hash });
  const attempt = { account: user.email, address: visitor.ipAddress, browser };
  const proof = await findFactorProof(deps, user, given, attempt);
  if (proof === null) return null;
  const session = deps.sessions.prepare(visitor);
  const isDone = await useProof(deps, { user, proof, visitor }, async (trx) => {
    if ((await findHalfWayUser(trx, halfWay)) === null) return false;
    await session.begin(trx, user.id);
    return true;
  });
  return isDone ? session.token : null;
}

/** Signs in with a passkey alone, which has checked who the person is. Null if it is not right, or its user may not sign in. */
export async function signInByPasskey(
  deps: FactorSignInDeps,
  given: GivenPasskey,
  visitor: Visitor,
): Promise<string | null> {
  const proof = await findPasskeyProof(deps, given, { userId: null });
  if (proof === null) return null;
  const { userId } = proof.passkey;
  const user = await findLocalUser(deps.db, userId);
  if (user === null) return null;
  const session = deps.sessions.prepare(visitor);
  const isDone = await useProof(deps, { user, proof, visitor }, async (trx) => {
    if ((await findLocalUser(trx, userId)) === null) return false;
    await session.begin(trx, userId);
    return true;
  });
  return isDone ? session.token : null;
}

/**
 * The user of a session proves again who they are. The session gets another token, so that copies of it open nothing; resolves
 * with the token, or null if the factor is wrong.
 */
export async function confirmWithFactor(
  deps: FactorSignInDeps,
  { user, sessionId }: SignedIn,
  given: GivenFactor,
  visitor: Visitor,
): Promise<string | null> {
  const attempt = { account: user.email, address: visitor.ipAddress, session: sessionId };
  const proof = await findFactorProof(deps, user, given, attempt);
  if (proof === null) return null;
  const session = deps.sessions.prepareRenewal(sessionId);
  const isDone = await useProof(deps, { user, proof, visitor }, async (trx) => {
    const present = await findUserById(trx, user.id);
    if (present === null || present.status === "disabled") return false;
    return await session.renew(trx);
  });
  return isDone ? session.token : null;
}

/** A user with a password here: who signs in only at a provider is not let in by a passkey from before. */
async function findLocalUser(db: ProveDeps["db"] | Transaction, id: string): Promise<User | null> {
  const user = await findUserById(db, id);
  if (user === null || user.status === "disabled") return null;
  return ((await findPassword(db, id))?.hash ?? null) === null ? null : user;
}

type Using = { user: User; proof: FactorProof; visitor: Visitor };

/** Uses a proof and does what it is for in one transaction, so that neither happens without the other. False if it cannot be used. */
async function useProof(
  { db, now }: FactorSignInDeps,
  { user, proof, visitor }: Using,
  work: (trx: Transaction) => Promise<boolean>,
): Promise<boolean> {
  const { id, email } = user;
  const actor = {
    userId: id,
    email,
    tokenId: null,
    via: "session",
    ip: visitor.ipAddress,
  } as const;
  const stamp = stampChange(actor, now());
  const outcome = await transaction(db, async (trx) => {
    const use = await proof.use(trx);
    const record = (action: "user.use_recovery_code" | "user.refuse_passkey") =>
      recordChange(trx, stamp, {
        action,
        kind: "user",
        id,
        name: email,
        detail: { factor: proof.name },
      });
    if (use === "copied") await record("user.refuse_passkey");
    if (use !== "used") return use;
    if (!(await work(trx))) throw refuseHalfWay();
    if (proof.kind === "recovery_code") await record("user.use_recovery_code");
    return use;
  });
  if (outcome === "copied") throw refuseCopy();
  if (outcome !== "used") return false;
  await proof.succeed();
  return true;
}

export function refuseHalfWay(): HubError {
  return new HubError(
    "forbidden",
    "This sign-in took too long, or your account has changed meanwhile. Sign in again.",
  );
}

function refuseCopy(): HubError {
  return new HubError(
    "forbidden",
    "This passkey may have been copied: it has signed more often than its answer says. Use another second factor, remove the passkey, and tell an admin.",
  );
}
