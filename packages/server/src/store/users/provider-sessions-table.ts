import { sql } from "kysely";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { toFlag } from "../database/tables/flag.ts";
import type { Tables } from "../database/tables.ts";

/** What the hub holds of a user's session at the single sign-on provider. Times are epoch ms. */
export type ProviderSession = {
  userId: string;
  issuer: string;
  subject: string;
  /** The provider's name of the session there. */
  sid: string | null;
  /** The refresh token. Null if the provider gave none, or the session has ended. */
  sealed: Uint8Array | null;
  /** A random id of what is sealed now. */
  tokensId: string;
  /** When the provider last confirmed the user. */
  readAt: number;
  /** The earliest time of the next refresh. */
  nextAt: number;
  /** Since when the provider does not answer. */
  failedSince: number | null;
  failure: string | null;
  /** When the provider said that the session has ended. */
  endedAt: number | null;
  /** Whether tokens are refused until the user signs in again. */
  refusesTokens: boolean;
};

/** The session of a new sign-in replaces the one before. */
export async function putProviderSession(
  trx: Transaction,
  session: ProviderSession,
): Promise<void> {
  const { userId, ...given } = session;
  const stored = {
    issuer: given.issuer,
    subject: given.subject,
    sid: given.sid,
    sealed: given.sealed,
    tokens_id: given.tokensId,
    read_at: given.readAt,
    next_at: given.nextAt,
    failed_since: given.failedSince,
    failure: given.failure,
    ended_at: given.endedAt,
    refuses_tokens: toFlag(given.refusesTokens),
  };
  await toKysely(trx)
    .insertInto("provider_sessions")
    .values({ user_id: userId, ...stored })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(stored))
    .execute();
}

export async function findProviderSession(db: Db, userId: string): Promise<ProviderSession | null> {
  const found = await toKysely(db)
    .selectFrom("provider_sessions")
    .select(tableColumns.provider_sessions)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  return found === undefined ? null : toSession(found);
}

/**
 * Takes the refresh that is due, for one server of all. False if it is not due, another server took it, or the user has
 * signed in again.
 */
export async function claimRefresh(
  db: Db,
  {
    userId,
    tokensId,
    now,
    nextAt,
  }: { userId: string; tokensId: string; now: number; nextAt: number },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("provider_sessions")
    .set({ next_at: nextAt })
    .where("user_id", "=", userId)
    .where("tokens_id", "=", tokensId)
    .where("next_at", "<=", now)
    .where("ended_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** What a refresh brought. Each is stored only if the user has not signed in again meanwhile; false if so. */
export async function updateProviderSession(
  db: Db,
  { userId, tokensId }: Pick<ProviderSession, "userId" | "tokensId">,
  change:
    | { sealed: Uint8Array; tokensId: string }
    | { readAt: number }
    | { failure: string; at: number }
    | { endedAt: number; failure: string; refusesTokens: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("provider_sessions")
    .set(toStoredChange(change))
    .where("user_id", "=", userId)
    .where("tokens_id", "=", tokensId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function toStoredChange(change: Parameters<typeof updateProviderSession>[2]) {
  if ("sealed" in change) return { sealed: change.sealed, tokens_id: change.tokensId };
  if ("readAt" in change) return { read_at: change.readAt, failed_since: null, failure: null };
  if ("at" in change) {
    return {
      failure: change.failure,
      failed_since: sql<number>`coalesce(failed_since, ${sql.val(change.at)})`,
    };
  }
  const { endedAt, failure, refusesTokens } = change;
  const refuses_tokens = toFlag(refusesTokens);
  return { ended_at: endedAt, failure, refuses_tokens, sealed: null, failed_since: null };
}

/** The users of a session, or of an account, at the provider: those that a logout there concerns. */
export async function listProviderUsers(
  db: Db,
  { issuer, subject, sid }: { issuer: string; subject: string | null; sid: string | null },
): Promise<Array<Pick<ProviderSession, "userId" | "tokensId" | "sid">>> {
  const found = await toKysely(db)
    .selectFrom("provider_sessions")
    .select(["user_id", "tokens_id", "sid"])
    .where("issuer", "=", issuer)
    .where((session) =>
      session.and([
        ...(subject === null ? [] : [session("subject", "=", subject)]),
        ...(sid === null ? [] : [session("sid", "=", sid)]),
      ]),
    )
    .execute();
  return found.map(({ user_id, tokens_id, sid: named }) => ({
    userId: user_id,
    tokensId: tokens_id,
    sid: named,
  }));
}

function toSession(stored: Tables["provider_sessions"]): ProviderSession {
  return {
    userId: stored.user_id,
    issuer: stored.issuer,
    subject: stored.subject,
    sid: stored.sid,
    sealed: stored.sealed,
    tokensId: stored.tokens_id,
    readAt: stored.read_at,
    nextAt: stored.next_at,
    failedSince: stored.failed_since,
    failure: stored.failure,
    endedAt: stored.ended_at,
    refusesTokens: stored.refuses_tokens === 1,
  };
}

/** The sealed refresh token of a user. `label` names the user. */
export type SealedProviderToken = Pick<ProviderSession, "userId" | "issuer" | "subject"> & {
  label: string;
  sealed: Uint8Array;
};

export async function listSealedProviderTokens(db: Db): Promise<SealedProviderToken[]> {
  const tokens = await toKysely(db)
    .selectFrom("provider_sessions")
    .innerJoin("users", "users.id", "user_id")
    .select(["user_id as userId", "issuer", "subject", "users.email as label", "sealed"])
    .where("sealed", "is not", null)
    .orderBy("user_id")
    .execute();
  return tokens.flatMap(({ sealed, ...token }) => (sealed === null ? [] : [{ ...token, sealed }]));
}

/** A sealed refresh token, and the same sealed again. */
export type ResealedProviderToken = { userId: string; from: Uint8Array; to: Uint8Array };

/** Replaces sealed tokens, but not those that changed since they were read; returns their number. */
export async function replaceSealedProviderTokens(
  trx: Transaction,
  tokens: readonly ResealedProviderToken[],
): Promise<number> {
  let replaced = 0;
  for (const { userId, from, to } of tokens) {
    const { numUpdatedRows } = await toKysely(trx)
      .updateTable("provider_sessions")
      .set({ sealed: to })
      .where("user_id", "=", userId)
      .where("sealed", "=", from)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) replaced += 1;
  }
  return replaced;
}
