import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import { sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import { toFactorLocation } from "../../secrets/at-rest/secret-locations.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import { type Db, type Transaction, transaction } from "../../store/database/database.ts";
import { findPassword } from "../../store/users/passwords-table.ts";
import { replaceRecoveryCodes } from "../../store/users/recovery-codes-table.ts";
import {
  findPasskey,
  insertPasskey,
  insertTotpFactor,
  listSecondFactors,
  type SecondFactor,
} from "../../store/users/second-factors-table.ts";
import { deleteSessionsOf } from "../../store/users/sessions-table.ts";
import { useTokenId } from "../../store/users/used-token-ids.ts";
import { findUserById } from "../../store/users/users-table.ts";
import { refuseHalfWay } from "./factor-sign-in.ts";
import { createRecoveryCodes, readRecoveryCode } from "./recovery-codes.ts";
import { newPasskeyState } from "./sealed-state.ts";
import { findTotpStep, readTotpCode } from "./totp.ts";
import { type NewPasskeyAnswer, type RelyingPartyId, readNewPasskey } from "./webauthn.ts";

export type AddDeps = {
  db: Db;
  ring: Pick<RingHolder, "current">;
  now: () => number;
  config: Pick<Config, "secondFactor">;
};

/** Maximum for one user, with the app. */
export const factorsMax = 10;

/** What is to be added: an app that shows the code of this secret, or a passkey that answers this challenge. */
export type NewFactor =
  | { kind: "totp"; name: string; secret: string; code: string }
  | {
      kind: "passkey";
      name: string;
      answer: NewPasskeyAnswer;
      /** Of the challenge, which counts once. */
      stateId: string;
      challenge: string;
      rp: RelyingPartyId;
    };

type Adding = {
  user: { id: string; email: string };
  actor: Actor;
  /** The session that stays when the user's first factor ends the others; null if there is none yet. */
  sessionId: string | null;
};

/**
 * Adds a second factor. Resolves with the recovery codes, which are shown once, for the first one; with null for another; with
 * `wrong` if the code or the answer is not right. The first factor ends the user's other sessions, which began without it.
 * `alongside` runs in the same transaction. Throws `conflict` for a second app and for too many factors.
 */
export async function addFactor(
  deps: AddDeps,
  { user, actor, sessionId }: Adding,
  factor: NewFactor,
  alongside: (trx: Transaction) => Promise<void> = async () => {},
): Promise<{ recoveryCodes: string[] | null } | "wrong"> {
  const at = deps.now();
  const id = crypto.randomUUID();
  const insert = prepareInsert(deps, { id, userId: user.id, at }, factor);
  if (insert === null) return "wrong";
  const codes = createRecoveryCodes();
  const hashes = codes.flatMap((code) => readRecoveryCode(user.id, code) ?? []);
  const stamp = stampChange(actor, at);
  return await transaction(deps.db, async (trx) => {
    await checkMayAdd(trx, user.id);
    const before = await listSecondFactors(trx, user.id);
    checkFits(before, factor);
    // A password alone must not add a factor beside one that was set up meanwhile.
    if (sessionId === null && before.length > 0) throw refuseHalfWay();
    await insert(trx);
    const isFirst = before.length === 0;
    if (isFirst) {
      await replaceRecoveryCodes(trx, user.id, hashes);
      await deleteSessionsOf(trx, user.id, sessionId === null ? {} : { except: sessionId });
    }
    const detail = { kind: factor.kind, name: factor.name };
    const change = { kind: "user", id: user.id, name: user.email, detail } as const;
    await recordChange(trx, stamp, { action: "user.add_factor", ...change });
    await alongside(trx);
    return { recoveryCodes: isFirst ? codes : null };
  });
}

type Prepared = { id: string; userId: string; at: number };

/** The write of a factor; null if what proves it is wrong. */
function prepareInsert(
  { ring, now }: AddDeps,
  { id, userId, at }: Prepared,
  factor: NewFactor,
): ((trx: Transaction) => Promise<void>) | null {
  const base = { id, userId, name: factor.name, createdAt: at, lastUsedAt: null };
  if (factor.kind === "totp") {
    const { kind, secret } = factor;
    const code = readTotpCode(factor.code);
    const step = code === null ? null : findTotpStep(secret, code, now());
    if (step === null) return null;
    const sealed = sealAtRest(ring.current(), toFactorLocation({ id, userId }), secret);
    // The code that proves the app is used by this.
    return (trx) => insertTotpFactor(trx, { ...base, kind, sealed, lastStep: step });
  }
  const { kind, stateId } = factor;
  const made = readNewPasskey(factor.answer, factor);
  if (made === null) return null;
  const expiresAt = at + newPasskeyState.lastsMs;
  return async (trx) => {
    const isNew = await useTokenId(trx, { issuer: "new passkey", id: stateId, expiresAt });
    if (!isNew || (await findPasskey(trx, made.credentialId)) !== null) {
      throw new HubError("conflict", "This passkey was added before.");
    }
    await insertPasskey(trx, { ...base, ...made, kind });
  };
}

/** Who signs in only at a provider has the second factor there. */
async function checkMayAdd(trx: Transaction, userId: string): Promise<void> {
  const user = await findUserById(trx, userId);
  const hash = (await findPassword(trx, userId))?.hash ?? null;
  if (user !== null && user.status !== "disabled" && hash !== null) return;
  throw new HubError(
    "conflict",
    "You have no password on this hub. Set up the second factor where you sign in.",
  );
}

function checkFits(before: readonly SecondFactor[], { kind }: NewFactor): void {
  if (before.length >= factorsMax) {
    throw new HubError("conflict", `You have ${factorsMax} second factors. Remove one first.`);
  }
  if (kind === "totp" && before.some((other) => other.kind === "totp")) {
    throw new HubError("conflict", "You have an app for codes. Remove it first.");
  }
}
