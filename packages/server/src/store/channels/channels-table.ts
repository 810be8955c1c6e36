import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toClock, toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { ChannelState } from "../database/tables/channel-tables.ts";

/** How long a process holds a channel without renewing. Then another one may take it. */
export const channelLeaseMs = 10_000;

/** The right of one process to hold the connection of a channel. */
export type ChannelLease = { rowId: string; holder: string; number: number };

/** The connection of a channel. Times are epoch ms. */
export type StoredChannelState = {
  rowId: string;
  /** Null if no process holds it now. */
  holder: string | null;
  state: ChannelState;
  reason: string | null;
  changedAt: number;
  refusedVersion: number | null;
  /** JSON. */
  account: string | null;
  cursor: string | null;
  /** JSON. */
  recent: string;
};

/**
 * Takes the channel if no process holds it. Null if another one does. The state of the former holder's
 * connection does not outlive its lease.
 */
export async function claimChannel(
  db: Db,
  { rowId, holder }: { rowId: string; holder: string },
): Promise<ChannelLease | null> {
  const clock = toClock(db);
  const until = sql<number>`${clock} + ${sql.lit(channelLeaseMs)}`;
  const claimed = await toKysely(db)
    .insertInto("channel_states")
    .values({ row_id: rowId, holder, held_until: until, lease: 1 })
    .onConflict((conflict) =>
      conflict
        .column("row_id")
        .doUpdateSet((one) => ({
          holder,
          held_until: until,
          lease: one("channel_states.lease", "+", 1),
          state: "connecting",
        }))
        .where((one) =>
          one.or([
            one("channel_states.held_until", "is", null),
            one("channel_states.held_until", "<=", clock),
          ]),
        ),
    )
    .returning("lease")
    .executeTakeFirst();
  return claimed === undefined ? null : { rowId, holder, number: Number(claimed.lease) };
}

/** False if the lease has ended, so that another process may hold the channel. */
export async function renewChannel(db: Db, lease: ChannelLease): Promise<boolean> {
  const clock = toClock(db);
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("channel_states")
    .set({ held_until: sql<number>`${clock} + ${sql.lit(channelLeaseMs)}` })
    .where("row_id", "=", lease.rowId)
    .where("lease", "=", lease.number)
    .where("held_until", ">", clock)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** What the holder of a channel reports. Members that are absent stay as they are. */
export type ChannelReport = {
  state?: ChannelState;
  reason?: string | null;
  changedAt?: number;
  refusedVersion?: number | null;
  account?: string;
  cursor?: string;
};

/** Stores what the holder reports. False if it holds the channel no longer. */
export async function reportChannel(
  db: Db,
  lease: ChannelLease,
  report: ChannelReport,
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("channel_states")
    .set({
      state: report.state,
      reason: report.reason,
      changed_at: report.changedAt,
      refused_version: report.refusedVersion,
      account: report.account,
      cursor: report.cursor,
    })
    .where("row_id", "=", lease.rowId)
    .where("lease", "=", lease.number)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Lets other processes take the channel at once. */
export async function releaseChannel(db: Db, lease: ChannelLease): Promise<void> {
  await toKysely(db)
    .updateTable("channel_states")
    .set({ holder: null, held_until: null })
    .where("row_id", "=", lease.rowId)
    .where("lease", "=", lease.number)
    .execute();
}

/** The processes that hold channels. */
export async function listChannelHolders(db: Db): Promise<string[]> {
  const rows = await toKysely(db)
    .selectFrom("channel_states")
    .select("holder")
    .distinct()
    .where("holder", "is not", null)
    .$narrowType<{ holder: string }>()
    .execute();
  return rows.map(({ holder }) => holder);
}

/** Frees the channels of dead processes, before their leases end. */
export async function freeChannels(db: Db, dead: readonly string[]): Promise<void> {
  if (dead.length === 0) return;
  await toKysely(db)
    .updateTable("channel_states")
    .set((one) => ({ holder: null, held_until: null, lease: one("lease", "+", 1) }))
    .where("holder", "in", dead)
    .execute();
}

/** Replaces the list of the last envelopes of a channel that was held once. */
export async function putRecentEnvelopes(db: Db, rowId: string, recent: string): Promise<void> {
  await toKysely(db)
    .updateTable("channel_states")
    .set({ recent })
    .where("row_id", "=", rowId)
    .execute();
}

/** The connections of these channels. Those that never had one are left out. */
export async function listChannelStates(
  db: Db,
  rowIds: readonly string[],
): Promise<StoredChannelState[]> {
  if (rowIds.length === 0) return [];
  const clock = toClock(db);
  const found = await toKysely(db)
    .selectFrom("channel_states")
    .select(tableColumns.channel_states)
    .select(sql<number>`case when held_until > ${clock} then 1 else 0 end`.as("is_held"))
    .where("row_id", "in", rowIds)
    .execute();
  return found.map((one) => ({
    rowId: one.row_id,
    holder: Number(one.is_held) === 1 ? one.holder : null,
    state: one.state,
    reason: one.reason,
    changedAt: one.changed_at,
    refusedVersion: one.refused_version,
    account: one.account,
    cursor: one.cursor,
    recent: one.recent,
  }));
}
