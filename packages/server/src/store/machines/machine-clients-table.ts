import { parseTokenBounds, type TokenBounds } from "../../lib/call-bounds.ts";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { MachineClientAuth } from "../database/tables/machine-tables.ts";
import type { Tables } from "../database/tables.ts";

/** A client that an admin registered. It gets tokens without a browser. */
export type MachineClient = {
  /** Its `client_id`. */
  id: string;
  name: string;
  /** The service user that it acts as. Null if it only brings assertions of a trusted issuer. */
  userId: string | null;
  auth: MachineClientAuth;
  /** SHA-256 of its secret. */
  secretHash: Uint8Array | null;
  /** JSON: its public keys. */
  jwks: string | null;
  bounds: TokenBounds | null;
  createdBy: string;
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
};

export type NewMachineClient = Omit<MachineClient, "lastUsedAt">;

export async function insertMachineClient(db: Db, client: NewMachineClient): Promise<void> {
  await toKysely(db)
    .insertInto("machine_clients")
    .values({
      id: client.id,
      name: client.name,
      user_id: client.userId,
      auth: client.auth,
      secret_hash: client.secretHash,
      jwks: client.jwks,
      bounds: client.bounds === null ? null : JSON.stringify(client.bounds),
      created_by: client.createdBy,
      created_at: client.createdAt,
      expires_at: client.expiresAt,
      last_used_at: null,
    })
    .execute();
}

export async function findMachineClient(db: Db, id: string): Promise<MachineClient | null> {
  const found = await toKysely(db)
    .selectFrom("machine_clients")
    .select(tableColumns.machine_clients)
    .where("id", "=", id)
    .executeTakeFirst();
  return found === undefined ? null : toMachineClient(found);
}

/** Oldest first. */
export async function listMachineClients(
  db: Db,
  { userId }: { userId?: string | undefined } = {},
): Promise<MachineClient[]> {
  const found = await toKysely(db)
    .selectFrom("machine_clients")
    .select(tableColumns.machine_clients)
    .$if(userId !== undefined, (query) => query.where("user_id", "=", userId ?? ""))
    .orderBy("created_at")
    .orderBy("id")
    .execute();
  return found.map(toMachineClient);
}

/** False if it does not exist. */
export async function deleteMachineClient(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await toKysely(db)
    .deleteFrom("machine_clients")
    .where("id", "=", id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Records a use. False if the client does not exist any more. */
export async function touchMachineClient(db: Db, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("machine_clients")
    .set({ last_used_at: at })
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

function toMachineClient(client: Tables["machine_clients"]): MachineClient {
  return {
    id: client.id,
    name: client.name,
    userId: client.user_id,
    auth: client.auth,
    secretHash: client.secret_hash,
    jwks: client.jwks,
    bounds: client.bounds === null ? null : parseTokenBounds(client.bounds),
    createdBy: client.created_by,
    createdAt: client.created_at,
    expiresAt: client.expires_at,
    lastUsedAt: client.last_used_at,
  };
}
