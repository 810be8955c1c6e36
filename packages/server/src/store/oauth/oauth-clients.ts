import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

export type OAuthClient = {
  id: string;
  /** JSON of its registered metadata. */
  metadata: string;
};

/**
 * Maximum number of registered clients without a grant so far; above it, the oldest are deleted.
 */
const unusedClientsMax = 2000;

/** Deletes old unused clients first, so that a flood of registrations cannot fill the disk. */
export async function insertOAuthClient(
  db: Db,
  { id, metadata }: OAuthClient,
  now: number,
): Promise<void> {
  await toKysely(db)
    .deleteFrom("oauth_clients")
    .where("id", "in", (query) =>
      query
        .selectFrom("oauth_clients")
        .select("id")
        .where("last_used_at", "is", null)
        .orderBy("created_at", "desc")
        .offset(unusedClientsMax - 1)
        .limit(100),
    )
    .execute();
  await toKysely(db)
    .insertInto("oauth_clients")
    .values({ id, metadata, created_at: now, last_used_at: null })
    .execute();
}

export async function findOAuthClient(db: Db, id: string): Promise<OAuthClient | null> {
  const client = await toKysely(db)
    .selectFrom("oauth_clients")
    .select(["id", "metadata"])
    .where("id", "=", id)
    .executeTakeFirst();
  return client ?? null;
}

/** Records that a user allowed the client, or that it got a token. */
export async function touchOAuthClient(db: Db, id: string, now: number): Promise<void> {
  await toKysely(db)
    .updateTable("oauth_clients")
    .set({ last_used_at: now })
    .where("id", "=", id)
    .execute();
}

type PurgeLimits = { unusedSince: number; idleSince: number };

/**
 * Deletes clients that were never allowed or have been idle for long, unless they have a live
 * grant.
 */
export async function purgeOAuthClients(db: Db, limits: PurgeLimits): Promise<number> {
  const { numDeletedRows } = await toKysely(db)
    .deleteFrom("oauth_clients")
    .where((client) =>
      client.or([
        client.and([
          client("last_used_at", "is", null),
          client("created_at", "<", limits.unusedSince),
        ]),
        client("last_used_at", "<", limits.idleSince),
      ]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("oauth_grants")
            .select(sql`1`.as("one"))
            .whereRef("oauth_grants.client_id", "=", "oauth_clients.id"),
        ),
      ),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
