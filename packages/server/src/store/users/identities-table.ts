import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { Tables } from "../database/tables.ts";

/** A user's account at a single sign-on provider. Times are epoch ms. */
export type IdentityRecord = {
  id: string;
  userId: string;
  issuer: string;
  /** The issuer's id of the person. It never changes and is never reused. */
  subject: string;
  /** From the issuer at the last sign-in. */
  email: string;
  createdAt: number;
  lastUsedAt: number;
};

export async function insertIdentity(db: Db, identity: IdentityRecord): Promise<void> {
  await toKysely(db)
    .insertInto("identities")
    .values({
      id: identity.id,
      user_id: identity.userId,
      issuer: identity.issuer,
      subject: identity.subject,
      email: identity.email,
      created_at: identity.createdAt,
      last_used_at: identity.lastUsedAt,
    })
    .execute();
}

export async function findIdentity(
  db: Db,
  { issuer, subject }: Pick<IdentityRecord, "issuer" | "subject">,
): Promise<IdentityRecord | null> {
  const identity = await toKysely(db)
    .selectFrom("identities")
    .select(tableColumns.identities)
    .where("issuer", "=", issuer)
    .where("subject", "=", subject)
    .executeTakeFirst();
  return identity === undefined ? null : toIdentity(identity);
}

/** Oldest first. */
export async function listIdentities(db: Db, userId: string): Promise<IdentityRecord[]> {
  const identities = await toKysely(db)
    .selectFrom("identities")
    .select(tableColumns.identities)
    .where("user_id", "=", userId)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return identities.map(toIdentity);
}

export async function touchIdentity(
  db: Db,
  id: string,
  { email, lastUsedAt }: Pick<IdentityRecord, "email" | "lastUsedAt">,
): Promise<void> {
  await toKysely(db)
    .updateTable("identities")
    .set({ email, last_used_at: lastUsedAt })
    .where("id", "=", id)
    .execute();
}

export async function deleteIdentity(db: Db, id: string): Promise<void> {
  await toKysely(db).deleteFrom("identities").where("id", "=", id).execute();
}

function toIdentity(identity: Tables["identities"]): IdentityRecord {
  return {
    id: identity.id,
    userId: identity.user_id,
    issuer: identity.issuer,
    subject: identity.subject,
    email: identity.email,
    createdAt: identity.created_at,
    lastUsedAt: identity.last_used_at,
  };
}
