import { HubError } from "../../errors.ts";
import { endUserSignIns } from "../accounts/account-endings.ts";
import { type Db, type Transaction, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { toFlag } from "../database/tables/flag.ts";
import type { UserKind, UserOrigin, UserRole, UserStatus } from "../database/tables/user-tables.ts";
import { bumpRevision } from "../settings/revision.ts";
import { toTagNames } from "../tags/tags-table.ts";
import { linkUserTags } from "./link-user-tags.ts";
import { matchesUser, type UserFilter } from "./user-filter.ts";
import { listGroupOnlyTags } from "./user-origins.ts";

export type User = {
  id: string;
  /** Lower case. */
  email: string;
  name: string;
  role: UserRole;
  status: UserStatus;
  /** In alphabetical order, without `everyone`, which every user has. */
  tags: string[];
  createdAt: number;
  kind: UserKind;
  /** Of a service user: its owner. Null until it has a new one, and for people. */
  ownerId: string | null;
};

export type NewUser = {
  id: string;
  email: string;
  name: string;
  role: UserRole;
  status: UserStatus;
  tags: readonly string[];
  createdAt: number;
  /** `local` if it is not given. */
  origin?: UserOrigin;
  /** Makes it a service user. */
  service?: { ownerId: string };
};

export type UserChange = {
  name?: string;
  role?: UserRole;
  status?: UserStatus;
  /** With the status `disabled`: what disables the user. Null or absent is by hand. */
  disabledBy?: "groups" | "scim" | null;
};

/** Throws `conflict` if the e-mail exists in any case. */
export function insertUser(db: Db, user: NewUser): Promise<User> {
  return transaction(db, async (trx) => {
    const { id, name, role, status, createdAt, service } = user;
    const kind: UserKind = service === undefined ? "person" : "service";
    const ownerId = service?.ownerId ?? null;
    const email = toEmail(user.email);
    const made = await toKysely(trx)
      .insertInto("users")
      .values({
        id,
        email,
        name,
        role,
        status,
        password_hash: null,
        created_at: createdAt,
        updated_at: createdAt,
        user_origin: user.origin ?? "local",
        user_kind: kind,
        owned_by: ownerId,
      })
      .onConflict((conflict) => conflict.column("email").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (made === undefined) {
      throw new HubError("conflict", `A user with the e-mail ${email} already exists.`);
    }
    const tags = await linkUserTags(trx, id, user.tags, createdAt);
    await bumpRevision(trx);
    return { id, email, name, role, status, tags, createdAt, kind, ownerId };
  });
}

export async function findUserById(db: Db, id: string): Promise<User | null> {
  const [user] = toUsers(await selectUsers(db).where("users.id", "=", id).execute());
  return user ?? null;
}

export async function findUserByEmail(db: Db, email: string): Promise<User | null> {
  const [user] = toUsers(await selectUsers(db).where("email", "=", toEmail(email)).execute());
  return user ?? null;
}

/** By e-mail. */
export async function listUsers(db: Db): Promise<User[]> {
  return toUsers(await selectUsers(db).execute());
}

/** One page of users, by e-mail; `after` is the last e-mail of the previous page. */
export async function listUserPage(
  db: Db,
  { after, limit, ...filter }: UserFilter & { after?: string | undefined; limit: number },
): Promise<User[]> {
  let page = toKysely(db)
    .selectFrom("users")
    .select("users.id")
    .where((user) => matchesUser(user, filter))
    .orderBy("email")
    .limit(limit);
  if (after !== undefined) page = page.where("email", ">", after);
  return toUsers(await selectUsers(db).where("users.id", "in", page).execute());
}

/** The number of the users who match, in each state that one of them has. */
export async function countUsersByStatus(
  db: Db,
  filter: UserFilter,
): Promise<ReadonlyMap<UserStatus, number>> {
  const counts = await toKysely(db)
    .selectFrom("users")
    .select((user) => ["status", user.fn.countAll<number>().as("users")])
    .where((user) => matchesUser(user, filter))
    .groupBy("status")
    .execute();
  return new Map(counts.map(({ status, users }) => [status, Number(users)]));
}

/** Null if the user does not exist. */
export function updateUser(
  db: Db,
  id: string,
  change: UserChange,
  at: number,
): Promise<User | null> {
  return transaction(db, async (trx) => {
    const { name, role, status } = change;
    const disabledBy = status === "disabled" ? (change.disabledBy ?? null) : null;
    const origin = status === undefined ? {} : { disabled_by: disabledBy };
    const updated = await toKysely(trx)
      .updateTable("users")
      .set({ name, role, status, updated_at: at, ...origin })
      .where("id", "=", id)
      .returning("id")
      .executeTakeFirst();
    if (updated === undefined) return null;
    // Here, so that no way to disable a user leaves the user's sign-ins elsewhere alive.
    // Groups come and go, and who is disabled uses no account meanwhile, so theirs stay.
    if (status === "disabled" && disabledBy !== "groups") await endUserSignIns(trx, id, at);
    await bumpRevision(trx);
    return findUserById(trx, id);
  });
}

/** Changes the e-mail, in lower case. Its caller makes sure that no other user has it. */
export async function setUserEmail(
  trx: Transaction,
  id: string,
  email: string,
  at: number,
): Promise<void> {
  await toKysely(trx)
    .updateTable("users")
    .set({ email, updated_at: at })
    .where("id", "=", id)
    .execute();
  await bumpRevision(trx);
}

/**
 * Sets the tags given by hand; those that groups give stay. A name that only groups give so far is not given by hand,
 * too, because callers pass the tags of the user with a change: list it in `alsoByHand` for that. False if the user
 * does not exist.
 */
export function setUserTags(
  db: Db,
  id: string,
  names: readonly string[],
  at: number,
  alsoByHand: readonly string[] = [],
): Promise<boolean> {
  return transaction(db, async (trx) => {
    if ((await updateUser(trx, id, {}, at)) === null) return false;
    const byGroup = new Set(await listGroupOnlyTags(trx, id));
    const byHand = toTagNames(names).filter((name) => !byGroup.has(name));
    const given = toKysely(trx).deleteFrom("user_tags").where("user_id", "=", id);
    await given.where("by_group", "=", toFlag(false)).execute();
    const shared = toKysely(trx).updateTable("user_tags").where("user_id", "=", id);
    await shared.set({ by_hand: toFlag(false) }).execute();
    await linkUserTags(trx, id, [...byHand, ...alsoByHand], at);
    return true;
  });
}

/** One result for each tag of a user; a user without tags gets one result. */
function selectUsers(db: Db) {
  return toKysely(db)
    .selectFrom("users")
    .leftJoin("user_tags", "user_tags.user_id", "users.id")
    .leftJoin("tags", "tags.id", "user_tags.tag_id")
    .select([
      "users.id",
      "email",
      "users.name",
      "role",
      "status",
      "users.created_at",
      "user_kind as kind",
      "owned_by as ownerId",
      "tags.name as tag",
    ])
    .orderBy("email")
    .orderBy("tags.name");
}

function toUsers(results: Awaited<ReturnType<ReturnType<typeof selectUsers>["execute"]>>): User[] {
  const users = new Map<string, User>();
  for (const { tag, created_at: createdAt, ...result } of results) {
    const user = users.get(result.id) ?? { ...result, tags: [], createdAt };
    if (tag !== null) user.tags.push(tag);
    users.set(user.id, user);
  }
  return [...users.values()];
}

/** The form in which e-mails are stored. */
export function toEmail(email: string): string {
  return email.trim().toLowerCase();
}
