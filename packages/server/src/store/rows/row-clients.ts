import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** The hub as a client of a row's authorization server, which the accounts of all users share. */
export type RowClient = {
  rowId: string;
  /** Of the authorization server at which the hub registered itself. */
  issuer: string;
  redirectUri: string;
  /** For the location of `toClientLocation`. */
  sealed: Uint8Array;
};

export type ClientFault = { reason: string; at: number };

/** The client that the hub registered for a row; null if there is none. */
export async function findRowClient(db: Db, rowId: string): Promise<RowClient | null> {
  const found = await toKysely(db)
    .selectFrom("row_clients")
    .select(["issuer", "redirect_uri", "sealed"])
    .where("row_id", "=", rowId)
    .executeTakeFirst();
  if (found === undefined || found.sealed === null) return null;
  const { issuer, redirect_uri: redirectUri, sealed } = found;
  return { rowId, issuer, redirectUri, sealed };
}

/** Replaces the client of a row. The row exists. */
export async function putRowClient(
  db: Db,
  { rowId, issuer, redirectUri, sealed }: RowClient,
): Promise<void> {
  const columns = { issuer, redirect_uri: redirectUri, sealed };
  await toKysely(db)
    .insertInto("row_clients")
    .values({ row_id: rowId, ...columns, fault: null, fault_at: null })
    .onConflict((conflict) =>
      conflict.column("row_id").doUpdateSet({ ...columns, fault: null, fault_at: null }),
    )
    .execute();
}

/** Further sign-ins do not use the client that the hub registered. */
export async function removeRowClient(db: Db, rowId: string): Promise<void> {
  await toKysely(db).deleteFrom("row_clients").where("row_id", "=", rowId).execute();
}

/** Records that the authorization server refuses the client that the row names. */
export async function putClientFault(
  db: Db,
  rowId: string,
  { reason, at }: ClientFault,
): Promise<void> {
  const columns = { issuer: "", redirect_uri: "", sealed: null, fault: reason, fault_at: at };
  await toKysely(db)
    .insertInto("row_clients")
    .values({ row_id: rowId, ...columns })
    .onConflict((conflict) => conflict.column("row_id").doUpdateSet(columns))
    .execute();
}

/** A sign-in or a refresh has succeeded, so the client is accepted. */
export async function removeClientFault(db: Db, rowId: string): Promise<void> {
  await toKysely(db)
    .updateTable("row_clients")
    .set({ fault: null, fault_at: null })
    .where("row_id", "=", rowId)
    .where("fault_at", "is not", null)
    .execute();
}

export async function findClientFault(db: Db, rowId: string): Promise<ClientFault | null> {
  const found = await toKysely(db)
    .selectFrom("row_clients")
    .select(["fault", "fault_at"])
    .where("row_id", "=", rowId)
    .executeTakeFirst();
  if (found === undefined || found.fault_at === null) return null;
  return { reason: found.fault ?? "", at: found.fault_at };
}
