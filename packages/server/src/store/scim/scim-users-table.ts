import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { UserRole, UserStatus } from "../database/tables/user-tables.ts";

/** A user as a SCIM client meets it. Times are epoch ms. */
export type ScimUserRecord = {
  id: string;
  email: string;
  name: string;
  role: UserRole;
  status: UserStatus;
  /** Who disabled the user; null for an admin. */
  disabledBy: "groups" | "scim" | null;
  isPerson: boolean;
  hasPassword: boolean;
  createdAt: number;
  updatedAt: number;
  /** What a client keeps of the user; null if no client does. */
  kept: KeptUser | null;
};

export type KeptUser = {
  clientId: string;
  /** Null if the client deleted the user. */
  userName: string | null;
  externalId: string | null;
  /** JSON. */
  attributes: string;
};

export async function findScimUserById(db: Db, id: string): Promise<ScimUserRecord | null> {
  const [user] = await loadScimUsers(db, [id]);
  return user ?? null;
}

export async function findScimUserByEmail(db: Db, email: string): Promise<ScimUserRecord | null> {
  const [user] = await selectUsers(db).where("users.email", "=", email).execute();
  return user === undefined ? null : toUser(user);
}

/** The users with these ids, by id. */
export async function loadScimUsers(db: Db, ids: readonly string[]): Promise<ScimUserRecord[]> {
  if (ids.length === 0) return [];
  const users = await selectUsers(db).where("users.id", "in", ids).orderBy("users.id").execute();
  return users.map(toUser);
}

/** The user of a client with this name, compared without case, or with this id of the client. */
export async function findKeptUserId(
  db: Db,
  clientId: string,
  by: { userName: string } | { externalId: string },
): Promise<string | null> {
  const found = await toKysely(db)
    .selectFrom("scim_users")
    .select("user_id")
    .where("client_id", "=", clientId)
    .$if("userName" in by, (query) =>
      query.where("user_name_key", "=", "userName" in by ? by.userName.toLowerCase() : ""),
    )
    .$if("externalId" in by, (query) =>
      query.where("external_id", "=", "externalId" in by ? by.externalId : ""),
    )
    .executeTakeFirst();
  return found?.user_id ?? null;
}

/** How many users the client keeps. Reads all of them: not inside a transaction that writes one. */
export async function countKeptUsers(db: Db, clientId: string): Promise<number> {
  const { found } = await toKysely(db)
    .selectFrom("scim_users")
    .select((one) => one.fn.countAll<number>().as("found"))
    .where("client_id", "=", clientId)
    .executeTakeFirstOrThrow();
  return Number(found);
}

type Kept = Omit<KeptUser, "clientId"> & { userId: string; clientId: string; at: number };

/** Stores what a client keeps of a user, who is the client's from then on. */
export async function saveKeptUser(trx: Transaction, kept: Kept): Promise<void> {
  const { user_id, created_at, ...values } = toStored(kept);
  await toKysely(trx)
    .insertInto("scim_users")
    .values({ user_id, created_at, ...values })
    .onConflict((conflict) => conflict.column("user_id").doUpdateSet(values))
    .execute();
}

/** The same for users that no client keeps yet: at most 500, since each database limits the parameters of a statement. */
export async function insertKeptUsers(trx: Transaction, kept: readonly Kept[]): Promise<void> {
  if (kept.length === 0) return;
  await toKysely(trx).insertInto("scim_users").values(kept.map(toStored)).execute();
}

function toStored(kept: Kept) {
  return {
    user_id: kept.userId,
    client_id: kept.clientId,
    user_name: kept.userName,
    user_name_key: kept.userName?.toLowerCase() ?? null,
    external_id: kept.externalId,
    attributes: kept.attributes,
    created_at: kept.at,
    updated_at: kept.at,
  };
}

/** The client has deleted the user: it finds the user no more, and may create it again. */
export async function forgetKeptUser(trx: Transaction, userId: string, at: number): Promise<void> {
  await toKysely(trx).deleteFrom("scim_members").where("user_id", "=", userId).execute();
  await toKysely(trx)
    .updateTable("scim_users")
    .set({ user_name: null, user_name_key: null, external_id: null, groups_due: 1, updated_at: at })
    .where("user_id", "=", userId)
    .execute();
}

/** Ends the tie between a user and its client. False if there was none. */
export async function releaseKeptUser(
  trx: Transaction,
  { userId, clientId }: { userId: string; clientId: string },
): Promise<boolean> {
  const { numDeletedRows } = await toKysely(trx)
    .deleteFrom("scim_users")
    .where("user_id", "=", userId)
    .where("client_id", "=", clientId)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Whether the user signed in by this issuer. */
export async function hasIdentityOf(
  db: Db,
  { userId, issuer }: { userId: string; issuer?: string },
): Promise<boolean> {
  const found = await toKysely(db)
    .selectFrom("identities")
    .select("id")
    .where("user_id", "=", userId)
    .$if(issuer !== undefined, (query) => query.where("issuer", "=", issuer ?? ""))
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Which of these users, at most 500, signed in by this issuer. */
export async function findLinkedUsers(
  db: Db,
  { userIds, issuer }: { userIds: readonly string[]; issuer: string },
): Promise<ReadonlySet<string>> {
  const found = await toKysely(db)
    .selectFrom("identities")
    .select("user_id")
    .where("user_id", "in", userIds)
    .where("issuer", "=", issuer)
    .execute();
  return new Set(found.map(({ user_id }) => user_id));
}

function selectUsers(db: Db) {
  return toKysely(db)
    .selectFrom("users")
    .leftJoin("scim_users", "scim_users.user_id", "users.id")
    .select((one) => [
      "users.id",
      "users.email",
      "users.name",
      "users.role",
      "users.status",
      "users.disabled_by",
      "users.user_kind",
      one("users.password_hash", "is not", null).as("has_password"),
      "users.created_at",
      "users.updated_at",
      "scim_users.client_id",
      "scim_users.user_name",
      "scim_users.external_id",
      "scim_users.attributes",
      "scim_users.updated_at as kept_at",
    ]);
}

type Found = Awaited<ReturnType<ReturnType<typeof selectUsers>["execute"]>>[number];

function toUser(found: Found): ScimUserRecord {
  const { client_id: clientId, user_name: userName, external_id: externalId, attributes } = found;
  const isKept = clientId !== null && attributes !== null;
  return {
    id: found.id,
    email: found.email,
    name: found.name,
    role: found.role,
    status: found.status,
    disabledBy: found.disabled_by,
    isPerson: found.user_kind === "person",
    hasPassword: Boolean(found.has_password),
    createdAt: found.created_at,
    updatedAt: Math.max(found.updated_at, found.kept_at ?? 0),
    kept: isKept ? { clientId, userName, externalId, attributes } : null,
  };
}
