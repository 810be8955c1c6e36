import type { Selectable } from "kysely";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { toFlag } from "../database/tables/flag.ts";
import type { Tables } from "../database/tables.ts";
import { resetActivity } from "../runs/row-activity.ts";
import { touchRow } from "./rows-table.ts";

/** The tokens that a connection has now. Times are epoch ms. */
export type StoredTokens = {
  /** A random id. Each refresh has a new one. */
  tokensId: string;
  /** For the location of `toConnectionLocation`. */
  sealed: Uint8Array;
  scope: string;
  /** Null if the authorization server does not say. */
  expiresAt: number | null;
  /** When they are refreshed. Null if they cannot be, or if their end is not known. */
  renewAt: number | null;
  /** Whether there is a refresh token. */
  canRenew: boolean;
};

/** The OAuth connection of a row. */
export type RowConnection = StoredTokens & {
  rowId: string;
  /** A random id, which also stands in the row. */
  id: string;
  issuer: string;
  /** The row's address when it was connected. */
  address: string;
  connectedAt: number;
  /** Why it no longer works. Null while it does. */
  lost: { reason: string; at: number } | null;
};

export async function findRowConnection(db: Db, rowId: string): Promise<RowConnection | null> {
  const found = await toKysely(db)
    .selectFrom("row_connections")
    .select(tableColumns.row_connections)
    .where("row_id", "=", rowId)
    .executeTakeFirst();
  return found === undefined ? null : toRowConnection(found);
}

/** Connects a row, in the place of an earlier connection. The row exists. */
export async function putRowConnection(
  trx: Transaction,
  connection: Omit<RowConnection, "lost">,
): Promise<void> {
  const { rowId, id, issuer, address, connectedAt } = connection;
  await toKysely(trx).deleteFrom("row_connections").where("row_id", "=", rowId).execute();
  await toKysely(trx)
    .insertInto("row_connections")
    .values({
      row_id: rowId,
      id,
      issuer,
      address,
      connected_at: connectedAt,
      ...toTokenColumns(connection),
    })
    .execute();
  await setConnectionId(trx, rowId, id, connectedAt);
}

/** False if the row has no connection. */
export async function deleteRowConnection(
  trx: Transaction,
  rowId: string,
  at: number,
): Promise<boolean> {
  const { numDeletedRows } = await toKysely(trx)
    .deleteFrom("row_connections")
    .where("row_id", "=", rowId)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  await setConnectionId(trx, rowId, null, at);
  return true;
}

/** All servers see it with their next call, and end the sessions of the row. */
async function setConnectionId(
  trx: Transaction,
  rowId: string,
  id: string | null,
  at: number,
): Promise<void> {
  await toKysely(trx)
    .updateTable("connector_rows")
    .set({ connection_id: id })
    .where("id", "=", rowId)
    .execute();
  await touchRow(trx, rowId, at);
  await resetActivity(trx, rowId, at);
}

/** Names the tokens that a refresh replaces, and the refresh. */
export type Refresh = { rowId: string; tokensId: string; refreshId: string };

/**
 * Takes the right to refresh these tokens until then. False if they are no longer the row's, or another
 * server has the right. True again after its time: the server that had it has died.
 */
export async function claimRefresh(
  db: Db,
  { rowId, tokensId, refreshId }: Refresh,
  { now, until }: { now: number; until: number },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("row_connections")
    .set({ refresh_id: refreshId, refresh_until: until })
    .where("row_id", "=", rowId)
    .where("tokens_id", "=", tokensId)
    .where("lost_at", "is", null)
    .where((row) => row.or([row("refresh_id", "is", null), row("refresh_until", "<", now)]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives the right back after a failure that another try may not have. */
export async function releaseRefresh(db: Db, { rowId, refreshId }: Refresh): Promise<void> {
  await toKysely(db)
    .updateTable("row_connections")
    .set({ refresh_id: null, refresh_until: null })
    .where("row_id", "=", rowId)
    .where("refresh_id", "=", refreshId)
    .execute();
}

/**
 * Replaces the tokens of a refresh. False if others have replaced them, or the row was disconnected. A
 * refresh that lost its right still stores them: the authorization server has ended the former ones.
 */
export async function putRefreshedTokens(
  trx: Transaction,
  { rowId, tokensId }: Refresh,
  tokens: StoredTokens,
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("row_connections")
    .set({ ...toTokenColumns(tokens), refresh_id: null, refresh_until: null })
    .set({ lost_reason: null, lost_at: null })
    .where("row_id", "=", rowId)
    .where("tokens_id", "=", tokensId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Records that these tokens work no longer. */
export async function loseRowConnection(
  db: Db,
  { rowId, tokensId }: Pick<Refresh, "rowId" | "tokensId">,
  { reason, at }: { reason: string; at: number },
): Promise<void> {
  await toKysely(db)
    .updateTable("row_connections")
    .set({ lost_reason: reason, lost_at: at, refresh_id: null, refresh_until: null })
    .where("row_id", "=", rowId)
    .where("tokens_id", "=", tokensId)
    .execute();
}

/** Why the connections of rows work no longer, by row. */
export async function listLostConnections(
  db: Db,
): Promise<ReadonlyMap<string, NonNullable<RowConnection["lost"]>>> {
  const lost = await toKysely(db)
    .selectFrom("row_connections")
    .select(["row_id", "lost_reason", "lost_at"])
    .where("lost_at", "is not", null)
    .execute();
  return new Map(
    lost.map(({ row_id, lost_reason: reason, lost_at: at }) => [
      row_id,
      { reason: reason ?? "", at: at ?? 0 },
    ]),
  );
}

/** The sealed tokens of a row, with the row's label. */
export type SealedConnection = { rowId: string; label: string; sealed: Uint8Array };

export async function listSealedConnections(db: Db): Promise<SealedConnection[]> {
  return await toKysely(db)
    .selectFrom("row_connections")
    .innerJoin("connector_rows", "connector_rows.id", "row_id")
    .select(["row_id as rowId", "label", "sealed"])
    .orderBy("row_id")
    .execute();
}

/** Sealed tokens, and the same sealed again. */
export type ResealedConnection = { rowId: string; from: Uint8Array; to: Uint8Array };

/** Replaces sealed tokens, but not those that changed since they were read; returns their number. */
export async function replaceSealedConnections(
  trx: Transaction,
  connections: readonly ResealedConnection[],
): Promise<number> {
  let replaced = 0;
  for (const { rowId, from, to } of connections) {
    const { numUpdatedRows } = await toKysely(trx)
      .updateTable("row_connections")
      .set({ sealed: to })
      .where("row_id", "=", rowId)
      .where("sealed", "=", from)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) replaced += 1;
  }
  return replaced;
}

function toTokenColumns({ tokensId, sealed, scope, expiresAt, renewAt, canRenew }: StoredTokens) {
  const ends = { expires_at: expiresAt, renew_at: renewAt, can_renew: toFlag(canRenew) };
  return { tokens_id: tokensId, sealed, scope, ...ends };
}

function toRowConnection(row: Selectable<Tables["row_connections"]>): RowConnection {
  return {
    rowId: row.row_id,
    id: row.id,
    tokensId: row.tokens_id,
    sealed: row.sealed,
    scope: row.scope,
    expiresAt: row.expires_at,
    renewAt: row.renew_at,
    canRenew: row.can_renew === 1,
    issuer: row.issuer,
    address: row.address,
    connectedAt: row.connected_at,
    lost:
      row.lost_at === null || row.lost_reason === null
        ? null
        : { reason: row.lost_reason, at: row.lost_at },
  };
}
