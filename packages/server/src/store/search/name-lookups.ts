import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { UserStatus } from "../database/tables/user-tables.ts";
import { effectiveStatus } from "../users/effective-user.ts";

/** Two matches show that a name is ambiguous. */
const foundMax = 2;
/** Maximum number of names that are compared with an unknown name. */
const namesMax = 1000;

/** Ids that begin with `prefix`, in lower case; two at most. */
export async function findIdsByPrefix(
  db: Db,
  table:
    | "connector_rows"
    | "personal_access_tokens"
    | "oauth_grants"
    | "workflow_approvals"
    | "pending_calls"
    | "user_accounts"
    | "scim_clients",
  prefix: string,
): Promise<string[]> {
  const found = await toKysely(db)
    .selectFrom(table)
    .select("id")
    .where("id", ">=", prefix)
    // After all hexadecimal digits and the hyphen, so that the index serves the range.
    .where("id", "<", `${prefix}g`)
    .orderBy("id")
    .limit(foundMax)
    .execute();
  return found.map(({ id }) => id);
}

/** Ids of the rows with this label; two at most. */
export async function findRowIdsByLabel(db: Db, label: string): Promise<string[]> {
  const found = await toKysely(db)
    .selectFrom("connector_rows")
    .select("id")
    .where("label", "=", label)
    .orderBy("created_at")
    .orderBy("id")
    .limit(foundMax)
    .execute();
  return found.map(({ id }) => id);
}

/** Ids of the workflows with this name; two at most. */
export async function findWorkflowIdsByName(db: Db, name: string): Promise<string[]> {
  const found = await toKysely(db)
    .selectFrom("workflows")
    .select("id")
    .where("name", "=", name)
    .where("deleted_at", "is", null)
    .orderBy("created_at")
    .orderBy("id")
    .limit(foundMax)
    .execute();
  return found.map(({ id }) => id);
}

/** For a suggestion after a miss: names of the newest workflows. */
export async function listSomeWorkflowNames(db: Db): Promise<string[]> {
  const workflows = await toKysely(db)
    .selectFrom("workflows")
    .select("name")
    .where("deleted_at", "is", null)
    .orderBy("created_at", "desc")
    .limit(namesMax)
    .execute();
  return workflows.map(({ name }) => name);
}

/** For a suggestion after a miss: labels of the newest rows. */
export async function listSomeRowLabels(db: Db): Promise<string[]> {
  const rows = await toKysely(db)
    .selectFrom("connector_rows")
    .select("label")
    .orderBy("created_at", "desc")
    .limit(namesMax)
    .execute();
  return rows.map(({ label }) => label);
}

/** For a suggestion after a miss: e-mails of the newest users. */
export async function listSomeEmails(db: Db): Promise<string[]> {
  const users = await toKysely(db)
    .selectFrom("users")
    .select("email")
    .orderBy("created_at", "desc")
    .limit(namesMax)
    .execute();
  return users.map(({ email }) => email);
}

/** The label of each of these rows that exists, by id. */
export async function findRowLabels(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return await findInParts(ids, async (part) => {
    return await toKysely(db)
      .selectFrom("connector_rows")
      .select(["id", "label as name"])
      .where("id", "in", part)
      .execute();
  });
}

/** The e-mail of each of these users that exists, by id. */
export async function findEmails(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return await findInParts(ids, async (part) => {
    return await toKysely(db)
      .selectFrom("users")
      .select(["id", "email as name"])
      .where("id", "in", part)
      .execute();
  });
}

/** The ids of the users who have one of these e-mails, by e-mail. */
export async function findUserIds(
  db: Db,
  emails: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (emails.length === 0) return new Map();
  const found = await toKysely(db)
    .selectFrom("users")
    .select(["id", "email"])
    .where("email", "in", [...new Set(emails)])
    .execute();
  return new Map(found.map(({ id, email }) => [email, id]));
}

/** Maximum number of values in one statement. */
const idsAtOnce = 1000;

async function findInParts(
  ids: readonly string[],
  find: (part: readonly string[]) => Promise<{ id: string; name: string }[]>,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  const unique = [...new Set(ids)];
  for (let start = 0; start < unique.length; start += idsAtOnce) {
    for (const { id, name } of await find(unique.slice(start, start + idsAtOnce))) {
      names.set(id, name);
    }
  }
  return names;
}

export type UserState = { email: string; status: UserStatus };

/** The e-mail and status of each of these users that exists, by id. A service user is disabled while its owner is not active. */
export async function findUserStates(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, UserState>> {
  const states = new Map<string, UserState>();
  const unique = [...new Set(ids)];
  for (let start = 0; start < unique.length; start += idsAtOnce) {
    const found = await toKysely(db)
      .selectFrom("users")
      .select(["id", "email", sql<UserStatus>`${sql.raw(effectiveStatus)}`.as("status")])
      .where("id", "in", unique.slice(start, start + idsAtOnce))
      .execute();
    for (const { id, ...state } of found) states.set(id, state);
  }
  return states;
}
