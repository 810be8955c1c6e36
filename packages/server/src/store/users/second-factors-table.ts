import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { FactorKind } from "../database/tables/second-factor-tables.ts";
import type { Tables } from "../database/tables.ts";

/** What every second factor has. Times are epoch ms. */
type FactorBase = {
  id: string;
  userId: string;
  name: string;
  createdAt: number;
  /** Null before its first use. */
  lastUsedAt: number | null;
};

/** An app that shows codes. */
export type TotpFactor = FactorBase & { kind: "totp"; sealed: Uint8Array };

export type PasskeyFactor = FactorBase & {
  kind: "passkey";
  credentialId: Uint8Array;
  publicKey: Uint8Array;
  algorithm: number;
  /** How often it has signed; 0 for a passkey that does not count. */
  counter: number;
};

export type SecondFactor = TotpFactor | PasskeyFactor;

/** A user has at most one app, and a passkey belongs to one user: the database refuses another one. */
export async function insertTotpFactor(
  db: Db,
  factor: TotpFactor & { lastStep: number },
): Promise<void> {
  await toKysely(db)
    .insertInto("second_factors")
    .values({ ...toBase(factor), sealed: factor.sealed, last_step: factor.lastStep })
    .execute();
}

export async function insertPasskey(db: Db, factor: PasskeyFactor): Promise<void> {
  await toKysely(db)
    .insertInto("second_factors")
    .values({
      ...toBase(factor),
      credential_id: factor.credentialId,
      public_key: factor.publicKey,
      algorithm: factor.algorithm,
      counter: factor.counter,
    })
    .execute();
}

/** Oldest first. */
export async function listSecondFactors(db: Db, userId: string): Promise<SecondFactor[]> {
  const factors = await toKysely(db)
    .selectFrom("second_factors")
    .select(tableColumns.second_factors)
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return factors.map(toFactor);
}

export async function findPasskey(db: Db, credentialId: Uint8Array): Promise<PasskeyFactor | null> {
  const found = await toKysely(db)
    .selectFrom("second_factors")
    .select(tableColumns.second_factors)
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
  const factor = found === undefined ? null : toFactor(found);
  return factor?.kind === "passkey" ? factor : null;
}

/** Whether a user of the hub has a passkey. */
export async function hasPasskeys(db: Db): Promise<boolean> {
  const found = await toKysely(db)
    .selectFrom("second_factors")
    .select("id")
    // By the index of passkeys: strangers may ask, and there may be many apps.
    .where("credential_id", "is not", null)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Uses the code of a step, once: false if it, or a later one, was used before, also by another server. */
export async function useTotpStep(
  db: Db,
  id: string,
  { step, at }: { step: number; at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("second_factors")
    .set({ last_step: step, last_used_at: at })
    .where("id", "=", id)
    .where((factor) => factor.or([factor("last_step", "is", null), factor("last_step", "<", step)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Records the counter of a passkey. False if it did not grow: the passkey may have been copied. 0 is of one that does not count. */
export async function usePasskey(
  db: Db,
  id: string,
  { counter, at }: { counter: number; at: number },
): Promise<boolean> {
  const isUncounted = counter === 0;
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("second_factors")
    .set({ counter, last_used_at: at })
    .where("id", "=", id)
    .where("counter", isUncounted ? "=" : "<", counter)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Deletes a factor of this user; false if there is none. */
export async function deleteSecondFactor(
  db: Db,
  { id, userId }: Pick<FactorBase, "id" | "userId">,
): Promise<boolean> {
  const { numDeletedRows } = await toKysely(db)
    .deleteFrom("second_factors")
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Deletes all factors of a user; returns their number. */
export async function deleteSecondFactorsOf(db: Db, userId: string): Promise<number> {
  const { numDeletedRows } = await toKysely(db)
    .deleteFrom("second_factors")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return Number(numDeletedRows);
}

/** The sealed secret of an app. `label` names its user. */
export type SealedFactor = { id: string; userId: string; label: string; sealed: Uint8Array };

export async function listSealedFactors(db: Db): Promise<SealedFactor[]> {
  const factors = await toKysely(db)
    .selectFrom("second_factors")
    .innerJoin("users", "users.id", "user_id")
    .select(["second_factors.id", "user_id as userId", "users.email as label", "sealed"])
    .where("sealed", "is not", null)
    .orderBy("second_factors.id")
    .execute();
  return factors.flatMap(({ sealed, ...factor }) =>
    sealed === null ? [] : [{ ...factor, sealed }],
  );
}

/** The sealed secret of an app, and the same sealed again. */
export type ResealedFactor = { id: string; from: Uint8Array; to: Uint8Array };

/** Replaces sealed secrets, but not those that changed since they were read; returns their number. */
export async function replaceSealedFactors(
  trx: Transaction,
  factors: readonly ResealedFactor[],
): Promise<number> {
  let replaced = 0;
  for (const { id, from, to } of factors) {
    const { numUpdatedRows } = await toKysely(trx)
      .updateTable("second_factors")
      .set({ sealed: to })
      .where("id", "=", id)
      .where("sealed", "=", from)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) replaced += 1;
  }
  return replaced;
}

function toBase({
  id,
  userId,
  kind,
  name,
  createdAt,
  lastUsedAt,
}: FactorBase & { kind: FactorKind }) {
  return {
    id,
    user_id: userId,
    kind,
    name,
    created_at: createdAt,
    last_used_at: lastUsedAt,
  };
}

function toFactor(factor: Tables["second_factors"]): SecondFactor {
  const base = {
    id: factor.id,
    userId: factor.user_id,
    name: factor.name,
    createdAt: factor.created_at,
    lastUsedAt: factor.last_used_at,
  };
  const { kind, sealed, credential_id: credentialId, public_key: publicKey } = factor;
  if (kind === "totp" && sealed !== null) return { ...base, kind, sealed };
  if (kind === "passkey" && credentialId !== null && publicKey !== null) {
    const { algorithm, counter } = factor;
    return {
      ...base,
      kind,
      credentialId,
      publicKey,
      algorithm: algorithm ?? 0,
      counter: counter ?? 0,
    };
  }
  throw new Error("A second factor lacks what its kind needs");
}
