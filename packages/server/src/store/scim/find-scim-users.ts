import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** What users are looked for by. Names and e-mails are in lower case. */
export type ScimUserCondition =
  | { by: "id" | "userName" | "externalId" | "email"; value: string }
  | { by: "active"; value: boolean };

type Search = {
  clientId: string;
  issuer: string | null;
  conditions: readonly ScimUserCondition[];
  offset: number;
  limit: number;
};

/**
 * The ids of the users that a client may see, in their order: those that it keeps, and those without a password who signed in by
 * its issuer and belong to no other client. `total` is of all pages.
 */
export async function findScimUserIds(
  db: Db,
  search: Search,
): Promise<{ ids: string[]; total: number }> {
  const { offset, limit } = search;
  const found = await toKysely(db)
    .selectFrom(selectVisible(db, search).as("visible"))
    .select("visible.id")
    .orderBy("visible.id")
    .limit(limit)
    .offset(offset)
    .execute();
  const ids = found.map(({ id }) => id);
  // Most look-ups are for one user, whose number needs no second query.
  if (offset === 0 && ids.length < limit) return { ids, total: ids.length };
  const { total } = await toKysely(db)
    .selectFrom(selectVisible(db, search).as("visible"))
    .select((one) => one.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  return { ids, total: Number(total) };
}

/** Two queries that each have an index, in the place of one that reads all users. */
function selectVisible(db: Db, { clientId, issuer, conditions }: Search) {
  const kept = selectKept(db, clientId, conditions);
  return issuer === null ? kept : kept.union(selectOfIssuer(db, issuer, conditions));
}

function selectKept(db: Db, clientId: string, conditions: readonly ScimUserCondition[]) {
  const query = toKysely(db)
    .selectFrom("scim_users")
    .innerJoin("users", "users.id", "scim_users.user_id")
    .select("users.id as id")
    .where("scim_users.client_id", "=", clientId)
    .where("scim_users.user_name", "is not", null);
  return conditions.reduce(
    (narrowed, condition) => narrowed.where(toCondition(condition, keptColumns)),
    query,
  );
}

function selectOfIssuer(db: Db, issuer: string, conditions: readonly ScimUserCondition[]) {
  const query = toKysely(db)
    .selectFrom("identities")
    .innerJoin("users", "users.id", "identities.user_id")
    .select("users.id as id")
    .where("identities.issuer", "=", issuer)
    .where("users.password_hash", "is", null)
    .where("users.user_kind", "=", "person")
    .where((one) =>
      one.not(
        one.exists(
          one
            .selectFrom("scim_users")
            .select("scim_users.user_id")
            .whereRef("scim_users.user_id", "=", "users.id"),
        ),
      ),
    );
  return conditions.reduce(
    (narrowed, condition) => narrowed.where(toCondition(condition, issuerColumns)),
    query,
  );
}

type Column = "users.id" | "users.email" | "scim_users.user_name_key" | "scim_users.external_id";
type Columns = Record<Exclude<ScimUserCondition["by"], "active">, Column | null>;

const keptColumns: Columns = {
  id: "users.id",
  userName: "scim_users.user_name_key",
  externalId: "scim_users.external_id",
  email: "users.email",
};
/** The client knows nothing of them yet but the e-mail. */
const issuerColumns: Columns = {
  id: "users.id",
  userName: "users.email",
  externalId: null,
  email: "users.email",
};

function toCondition(condition: ScimUserCondition, columns: Columns) {
  if (condition.by === "active") {
    // Who is disabled by groups alone is active for the provider.
    const isActive = sql<boolean>`(users.status = 'active' or coalesce(users.disabled_by, '') = 'groups')`;
    return condition.value ? isActive : sql<boolean>`not ${isActive}`;
  }
  const column = columns[condition.by];
  return column === null
    ? sql<boolean>`1 = 0`
    : sql<boolean>`${sql.ref(column)} = ${condition.value}`;
}
