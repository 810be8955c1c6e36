import type { SecondFactor, SecondFactors } from "@hub/contract/second-factor.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { needsFactor } from "../../identity/second-factor/factor-step.ts";
import {
  createRecoveryCodes,
  readRecoveryCode,
} from "../../identity/second-factor/recovery-codes.ts";
import { liftSignInLimits } from "../../identity/sign-in-throttle.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import {
  countRecoveryCodes,
  replaceRecoveryCodes,
} from "../../store/users/recovery-codes-table.ts";
import {
  deleteSecondFactor,
  deleteSecondFactorsOf,
  listSecondFactors,
  type SecondFactor as StoredFactor,
} from "../../store/users/second-factors-table.ts";
import { deleteSessionsOf } from "../../store/users/sessions-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { checkGivesAccess } from "./check-gives-access.ts";
import { loadUser } from "./load-user.ts";

type FactorDeps = Pick<ServiceDeps, "store" | "now" | "config" | "freshSignIn">;

/** A user's second factors, oldest first. */
export async function listFactors(
  { store }: Pick<FactorDeps, "store">,
  userId: string,
): Promise<SecondFactors> {
  const { id } = await loadUser(store.db, userId);
  return await readFactors(store.db, id);
}

/**
 * Removes one of the actor's own factors; with the last one, the recovery codes go. Throws `conflict` for the last one where the
 * hub demands one, and `fresh_sign_in_required`.
 */
export async function removeOwnFactor(
  { store, now, config, freshSignIn }: FactorDeps,
  actor: Actor,
  factorId: string,
): Promise<SecondFactors> {
  freshSignIn.check(actor, "factors");
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const user = await loadUser(trx, actor.userId);
    const { id, email } = user;
    const factors = await listSecondFactors(trx, id);
    const factor = factors.find((one) => one.id === factorId.toLowerCase());
    if (factor === undefined) throw new HubError("not_found", "There is no such second factor.");
    const isLast = factors.length === 1;
    if (isLast && needsFactor(config, user)) {
      throw new HubError(
        "conflict",
        "This hub demands a second factor of you. Add another one first.",
      );
    }
    await deleteSecondFactor(trx, { id: factor.id, userId: id });
    if (isLast) await replaceRecoveryCodes(trx, id, []);
    const detail = { kind: factor.kind, name: factor.name };
    const change = { kind: "user", id, name: email, detail } as const;
    await recordChange(trx, stamp, { action: "user.remove_factor", ...change });
    return await readFactors(trx, id);
  });
}

/** Replaces the actor's recovery codes. Resolves with the new ones, which are shown once. */
export async function renewRecoveryCodes(
  { store, now, freshSignIn }: FactorDeps,
  actor: Actor,
): Promise<string[]> {
  freshSignIn.check(actor, "factors");
  const codes = createRecoveryCodes();
  const hashes = codes.flatMap((code) => readRecoveryCode(actor.userId, code) ?? []);
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const { id, email } = await loadUser(trx, actor.userId);
    if ((await listSecondFactors(trx, id)).length === 0) {
      throw new HubError("conflict", "You have no second factor. Add one first.");
    }
    await replaceRecoveryCodes(trx, id, hashes);
    const change = { kind: "user", id, name: email } as const;
    await recordChange(trx, stamp, { action: "user.renew_recovery_codes", ...change });
    return codes;
  });
}

/**
 * Removes all second factors and recovery codes of a user who has lost them, with the counts of wrong codes, and ends the user's
 * sessions: the lost device may be signed in. Throws `not_found` if there is none.
 */
export async function removeAllFactors(
  { store, now, freshSignIn }: Omit<FactorDeps, "config">,
  actor: Actor,
  userId: string,
): Promise<{ email: string; removed: number }> {
  checkGivesAccess(actor);
  freshSignIn.check(actor, "factors");
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const { id, email } = await loadUser(trx, userId);
    const removed = await deleteSecondFactorsOf(trx, id);
    if (removed === 0) {
      throw new HubError(
        "not_found",
        `${email} has no second factor, so there is nothing to remove.`,
      );
    }
    await replaceRecoveryCodes(trx, id, []);
    await deleteSessionsOf(trx, id);
    await liftSignInLimits(trx, email);
    const change = { kind: "user", id, name: email, detail: { removed } } as const;
    await recordChange(trx, stamp, { action: "user.remove_factors", ...change });
    return { email, removed };
  });
}

async function readFactors(db: Transaction | ServiceDeps["store"]["db"], userId: string) {
  const factors = (await listSecondFactors(db, userId)).map(toFactor);
  return { factors, recovery_codes_left: await countRecoveryCodes(db, userId) };
}

function toFactor({ id, kind, name, createdAt, lastUsedAt }: StoredFactor): SecondFactor {
  return {
    id,
    kind,
    name,
    created_at: toTimeText(createdAt),
    last_used_at: lastUsedAt === null ? null : toTimeText(lastUsedAt),
  };
}
