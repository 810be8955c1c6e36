import { openAtRest } from "../../secrets/at-rest/at-rest.ts";
import { toFactorLocation } from "../../secrets/at-rest/secret-locations.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Db, Transaction } from "../../store/database/database.ts";
import { useRecoveryCode } from "../../store/users/recovery-codes-table.ts";
import {
  findPasskey,
  listSecondFactors,
  type PasskeyFactor,
  usePasskey,
  useTotpStep,
} from "../../store/users/second-factors-table.ts";
import { useTokenId } from "../../store/users/used-token-ids.ts";
import type { User } from "../../store/users/users-table.ts";
import { toSignInRefusal } from "../sign-in-refusal.ts";
import type { BegunAttempt, SignInAttempt, SignInThrottle } from "../sign-in-throttle.ts";
import { readRecoveryCode } from "./recovery-codes.ts";
import { passkeyAnswerState, type SealedPasskeyState } from "./sealed-state.ts";
import { findTotpStep, readTotpCode } from "./totp.ts";
import { checkPasskeyAnswer, type PasskeyAnswer, type RelyingPartyId } from "./webauthn.ts";

export type ProveDeps = {
  db: Db;
  ring: Pick<RingHolder, "current">;
  now: () => number;
  throttle: SignInThrottle;
};

/** A passkey's answer to a challenge of the hub. */
export type GivenPasskey = {
  answer: PasskeyAnswer;
  state: SealedPasskeyState;
  rp: RelyingPartyId;
};

/** What a user gives as the second factor: the code of an app, a recovery code, or the answer of a passkey. */
export type GivenFactor = { code: string } | GivenPasskey;

/** A factor that was right when it was compared. */
export type FactorProof = {
  kind: "totp" | "recovery_code" | "passkey";
  /** Its name, as the user calls it. */
  name: string;
  /**
   * Uses it, in the transaction that begins the session. Not if it was used meanwhile, or taken away. `copied`: the counter of a
   * passkey did not grow, so there may be two of it.
   */
  use(trx: Transaction): Promise<"used" | "refused" | "copied">;
  /** Takes back what was counted as a failure. */
  succeed(): Promise<void>;
};

/** Compares what a user gave. Null if it is wrong. Throws `rate_limited` after too many wrong codes. */
export async function findFactorProof(
  deps: ProveDeps,
  user: Pick<User, "id" | "email">,
  given: GivenFactor,
  attempt: SignInAttempt,
): Promise<FactorProof | null> {
  if ("answer" in given) return await findPasskeyProof(deps, given, { userId: user.id });
  const hash = readRecoveryCode(user.id, given.code);
  if (hash !== null) return toRecoveryProof(deps, user, hash);
  return await findTotpProof(deps, user, given.code, attempt);
}

/** It has 80 bits, so it is not counted: a user who has lost the app must not wait because of a stranger. */
function toRecoveryProof(
  { now }: ProveDeps,
  { id }: Pick<User, "id">,
  hash: Uint8Array,
): FactorProof {
  const at = now();
  return {
    kind: "recovery_code",
    name: "recovery code",
    use: async (trx) => ((await useRecoveryCode(trx, id, { hash, at })) ? "used" : "refused"),
    succeed: async () => {},
  };
}

async function findTotpProof(
  deps: ProveDeps,
  { id: userId }: Pick<User, "id">,
  typed: string,
  attempt: SignInAttempt,
): Promise<FactorProof | null> {
  const { db, ring, now } = deps;
  const code = readTotpCode(typed);
  if (code === null) return null;
  const begun = await begin(deps, attempt);
  try {
    const factors = await listSecondFactors(db, userId);
    const app = factors.find((factor) => factor.kind === "totp");
    if (app?.kind !== "totp") return null;
    const secret = openAtRest(ring.current(), toFactorLocation({ id: app.id, userId }), app.sealed);
    const at = now();
    const step = findTotpStep(secret, code, at);
    if (step === null) return null;
    return {
      kind: "totp",
      name: app.name,
      use: async (trx) => ((await useTotpStep(trx, app.id, { step, at })) ? "used" : "refused"),
      succeed: begun.succeed,
    };
  } catch (failure) {
    await begun.release();
    throw failure;
  }
}

async function begin({ throttle }: ProveDeps, attempt: SignInAttempt): Promise<BegunAttempt> {
  const begun = await throttle.begin({ ...attempt, isFactor: true });
  if ("limit" in begun) throw toSignInRefusal(begun);
  return begun;
}

/**
 * The same for a passkey. A null `userId` is a sign-in with nothing else, so the authenticator must have checked who the person
 * is, and names the user.
 */
export async function findPasskeyProof(
  { db, now }: Pick<ProveDeps, "db" | "now">,
  { answer, state, rp }: GivenPasskey,
  { userId }: { userId: string | null },
): Promise<(FactorProof & { passkey: PasskeyFactor }) | null> {
  if (state.userId !== userId) return null;
  const passkey = await findPasskey(db, answer.credential_id);
  if (passkey === null || (userId !== null && passkey.userId !== userId)) return null;
  const named = Buffer.from(answer.user_handle).toString("utf8");
  if (named !== passkey.userId && (userId === null || named !== "")) return null;
  const expected = { rp, challenge: state.challenge, needsVerification: userId === null };
  const checked = checkPasskeyAnswer(answer, passkey, expected);
  if (checked === null) return null;
  const { counter } = checked;
  const at = now();
  return {
    kind: "passkey",
    name: passkey.name,
    passkey,
    async use(trx) {
      // An answer that was read on its way must not count a second time.
      const expiresAt = at + passkeyAnswerState.lastsMs;
      if (!(await useTokenId(trx, { issuer: "passkey", id: state.id, expiresAt })))
        return "refused";
      if (await usePasskey(trx, passkey.id, { counter, at })) return "used";
      const isThere = (await findPasskey(trx, passkey.credentialId)) !== null;
      return isThere ? "copied" : "refused";
    },
    succeed: async () => {},
  };
}
