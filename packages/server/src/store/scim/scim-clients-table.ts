import { z } from "zod";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { Tables } from "../database/tables.ts";

/** A program of an identity provider that changes users. Times are epoch ms. */
export type ScimClientRecord = {
  id: string;
  name: string;
  lastFour: string;
  /** The single sign-on issuer whose users it may change. */
  issuer: string | null;
  /** Addresses and networks from which it may come; null is any. */
  addresses: string[] | null;
  createdBy: string;
  createdAt: number;
  expiresAt: number;
  lastUsedAt: number | null;
};

export async function insertScimClient(
  db: Db,
  client: Omit<ScimClientRecord, "lastUsedAt"> & { tokenHash: Uint8Array },
): Promise<void> {
  await toKysely(db)
    .insertInto("scim_clients")
    .values({
      id: client.id,
      name: client.name,
      token_hash: client.tokenHash,
      last_four: client.lastFour,
      issuer: client.issuer,
      addresses: client.addresses === null ? null : JSON.stringify(client.addresses),
      created_by: client.createdBy,
      created_at: client.createdAt,
      expires_at: client.expiresAt,
      last_used_at: null,
    })
    .execute();
}

export async function findScimClientByHash(
  db: Db,
  tokenHash: Uint8Array,
): Promise<ScimClientRecord | null> {
  const client = await toKysely(db)
    .selectFrom("scim_clients")
    .select(tableColumns.scim_clients)
    .where("token_hash", "=", tokenHash)
    .executeTakeFirst();
  return client === undefined ? null : toClient(client);
}

export async function findScimClient(db: Db, id: string): Promise<ScimClientRecord | null> {
  const client = await toKysely(db)
    .selectFrom("scim_clients")
    .select(tableColumns.scim_clients)
    .where("id", "=", id)
    .executeTakeFirst();
  return client === undefined ? null : toClient(client);
}

/** Oldest first. */
export async function listScimClients(db: Db): Promise<ScimClientRecord[]> {
  const clients = await toKysely(db)
    .selectFrom("scim_clients")
    .select(tableColumns.scim_clients)
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return clients.map(toClient);
}

/** Gives a client another token. */
export async function replaceScimToken(
  db: Db,
  id: string,
  token: { tokenHash: Uint8Array; lastFour: string; expiresAt: number },
): Promise<void> {
  await toKysely(db)
    .updateTable("scim_clients")
    .set({
      token_hash: token.tokenHash,
      last_four: token.lastFour,
      expires_at: token.expiresAt,
      last_used_at: null,
    })
    .where("id", "=", id)
    .execute();
}

/** Records a use, unless one was recorded after `before`. */
export async function touchScimClient(
  db: Db,
  id: string,
  { at, before }: { at: number; before: number },
): Promise<void> {
  await toKysely(db)
    .updateTable("scim_clients")
    .set({ last_used_at: at })
    .where("id", "=", id)
    .where((one) => one.or([one("last_used_at", "is", null), one("last_used_at", "<", before)]))
    .execute();
}

/** Deletes the client with its groups and what it sent of users. The users stay. */
export async function deleteScimClient(db: Db, id: string): Promise<void> {
  await toKysely(db).deleteFrom("scim_clients").where("id", "=", id).execute();
}

const addressesSchema = z.array(z.string());

function toClient(client: Tables["scim_clients"]): ScimClientRecord {
  const { addresses } = client;
  return {
    id: client.id,
    name: client.name,
    lastFour: client.last_four,
    issuer: client.issuer,
    addresses: addresses === null ? null : addressesSchema.parse(JSON.parse(addresses)),
    createdBy: client.created_by,
    createdAt: client.created_at,
    expiresAt: client.expires_at,
    lastUsedAt: client.last_used_at,
  };
}
