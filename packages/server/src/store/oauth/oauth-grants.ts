import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import { parseTokenBounds, type TokenBounds } from "../../lib/call-bounds.ts";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { Tables } from "../database/tables.ts";
import { contains } from "../search/contains.ts";
import { touchUses, type Use } from "../users/touch-uses.ts";

/** One user's consent to one client. */
export type OAuthGrant = {
  id: string;
  userId: string;
  clientId: string;
  /** The client's name at the time of the consent. */
  clientName: string;
  /** The URI that receives its codes. */
  redirectUri: string;
  scope: string;
  /** The resource: the URL of the MCP endpoint. */
  resource: string;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number;
  /** Null for one without bounds. */
  bounds: TokenBounds | null;
  /** `client:ID` or `issuer:ID` if a machine got it without a user's consent. */
  machine: string | null;
};

export type NewOAuthGrant = Omit<OAuthGrant, "lastUsedAt" | "bounds" | "machine">;

export async function insertOAuthGrant(db: Db, grant: NewOAuthGrant): Promise<void> {
  await toKysely(db)
    .insertInto("oauth_grants")
    .values({
      id: grant.id,
      user_id: grant.userId,
      client_id: grant.clientId,
      client_name: grant.clientName,
      redirect_uri: grant.redirectUri,
      scope: grant.scope,
      resource: grant.resource,
      created_at: grant.createdAt,
      last_used_at: null,
      expires_at: grant.expiresAt,
      bounds: null,
      machine: null,
    })
    .execute();
}

export async function findOAuthGrant(db: Db, id: string): Promise<OAuthGrant | null> {
  const grant = await toKysely(db)
    .selectFrom("oauth_grants")
    .select(tableColumns.oauth_grants)
    .where("id", "=", id)
    .executeTakeFirst();
  return grant === undefined ? null : toGrant(grant);
}

/** Whether any user's consent to this client is valid at this time. */
export async function hasOAuthGrant(
  db: Db,
  { clientId, now }: { clientId: string; now: number },
): Promise<boolean> {
  const grant = await toKysely(db)
    .selectFrom("oauth_grants")
    .select("id")
    .where("client_id", "=", clientId)
    .where("expires_at", ">", now)
    .executeTakeFirst();
  return grant !== undefined;
}

/** The grants that are valid at this time, oldest first. */
export async function listOAuthGrants(
  db: Db,
  { userId, now }: { userId?: string; now: number },
): Promise<OAuthGrant[]> {
  const grants = await toKysely(db)
    .selectFrom("oauth_grants")
    .select(tableColumns.oauth_grants)
    .where("expires_at", ">", now)
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId ?? ""))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return grants.map(toGrant);
}

/** Grants that are valid at a time. */
export type OAuthGrantFilter = {
  now: number;
  userId?: string | undefined;
  /** Only grants with this text in the client's name, its redirect URI or the user's e-mail, in any case. */
  text?: string | undefined;
};

/** One page of the grants that match, by id: another order would read all of them. */
export async function listOAuthGrantPage(
  db: Db,
  {
    after,
    limit,
    ...filter
  }: OAuthGrantFilter & {
    /** Only grants after this id. */
    after?: string | undefined;
    limit: number;
  },
): Promise<OAuthGrant[]> {
  let query = toKysely(db)
    .selectFrom("oauth_grants")
    .select(tableColumns.oauth_grants)
    .where((grant) => matchesGrant(grant, filter))
    .orderBy("id")
    .limit(limit);
  if (after !== undefined) query = query.where("id", ">", after);
  return (await query.execute()).map(toGrant);
}

/** The number of the grants that match. */
export async function countOAuthGrants(db: Db, filter: OAuthGrantFilter): Promise<number> {
  const { found } = await toKysely(db)
    .selectFrom("oauth_grants")
    .select((grant) => grant.fn.countAll<number>().as("found"))
    .where((grant) => matchesGrant(grant, filter))
    .executeTakeFirstOrThrow();
  return Number(found);
}

function matchesGrant(
  grant: ExpressionBuilder<Tables, "oauth_grants">,
  { userId, now, text }: OAuthGrantFilter,
) {
  // Without its index, so that SQLite reads the ids in their order and stops after the page.
  const conditions: Expression<SqlBool>[] = [sql<SqlBool>`+expires_at > ${sql.val(now)}`];
  if (userId !== undefined) conditions.push(grant("user_id", "=", userId));
  if (text !== undefined) {
    const named = grant
      .selectFrom("users")
      .select("users.id")
      .where(() => contains(["users.email"], text));
    conditions.push(
      grant.or([contains(["client_name", "redirect_uri"], text), grant("user_id", "in", named)]),
    );
  }
  return grant.and(conditions);
}

/** A grant lasts as long as its last token. */
export async function extendOAuthGrant(db: Db, id: string, expiresAt: number): Promise<void> {
  await toKysely(db)
    .updateTable("oauth_grants")
    .set({ expires_at: expiresAt })
    .where("id", "=", id)
    .where("expires_at", "<", expiresAt)
    .execute();
}

/** Deletes the grant with all of its codes and tokens. False if the grant does not exist. */
export async function deleteOAuthGrant(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await toKysely(db)
    .deleteFrom("oauth_grants")
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Records when grants were last used. Never overwrites a newer time; ignores other ids. */
export function touchOAuthGrants(db: Db, uses: readonly Use[]): Promise<void> {
  return touchUses(db, "oauth_grants", uses);
}

function toGrant(grant: Tables["oauth_grants"]): OAuthGrant {
  return {
    id: grant.id,
    userId: grant.user_id,
    clientId: grant.client_id,
    clientName: grant.client_name,
    redirectUri: grant.redirect_uri,
    scope: grant.scope,
    resource: grant.resource,
    createdAt: grant.created_at,
    lastUsedAt: grant.last_used_at,
    expiresAt: grant.expires_at,
    bounds: grant.bounds === null ? null : parseTokenBounds(grant.bounds),
    machine: grant.machine,
  };
}
