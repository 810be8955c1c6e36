import { sql } from "kysely";
import { type Db, transaction } from "./database.ts";
import { toKysely } from "./kysely.ts";
import { countRunBytes } from "./run-bytes.ts";
import type { RunStatus } from "./tables.ts";

const hourMs = 3_600_000;
/** Runs counted in one transaction, which blocks the event loop and other writers for a few ms. */
const countedAtOnce = 5_000;

/** The number of runs of one row that ended in one hour with one status. */
export type RunHour = {
  /** When the hour began; epoch ms. */
  at: number;
  /** Null for calls of meta-tools that concern no row. */
  connectorId: string | null;
  status: RunStatus;
  runs: number;
  /** The sum of all these runs. */
  latencyMs: number;
};

/**
 * Counts finished runs that no process has counted yet, at most some thousands. Resolves with the
 * time up to which runs are counted, and whether these are all up to `endedBefore`.
 */
export function countRunHours(
  db: Db,
  { endedBefore }: { endedBefore: number },
): Promise<{ until: number; isAll: boolean }> {
  return transaction(db, async (trx) => {
    const from = await readCountedUntil(trx);
    if (from >= endedBefore) return { until: from, isAll: true };
    const { rows } = await sql<{ ended_at: number }>`
      select ended_at from connector_runs
      where ended_at >= ${from} and ended_at < ${endedBefore}
      order by ended_at limit 1 offset ${countedAtOnce}`.execute(toKysely(trx));
    // All runs that ended in the same millisecond are counted together.
    const boundary = rows[0] === undefined ? endedBefore : Math.max(rows[0].ended_at, from + 1);
    await sql`
      insert into run_hours (hour, connector_id, status, runs, latency_ms)
      select ended_at / ${sql.lit(hourMs)}, coalesce(connector_id, ''), status, count(*),
        sum(coalesce(latency_ms, 0))
      from connector_runs where ended_at >= ${from} and ended_at < ${boundary}
      group by 1, 2, 3
      on conflict (hour, connector_id, status) do update set
        runs = run_hours.runs + excluded.runs, latency_ms = run_hours.latency_ms + excluded.latency_ms`.execute(
      toKysely(trx),
    );
    await countRunBytes(trx, { from, until: boundary });
    await toKysely(trx).updateTable("run_hours_until").set({ ended_before: boundary }).execute();
    return { until: boundary, isAll: boundary === endedBefore };
  });
}

/** The time before which all ended runs are counted; epoch ms. */
export async function readCountedUntil(db: Db): Promise<number> {
  const { ended_before } = await toKysely(db)
    .selectFrom("run_hours_until")
    .select("ended_before")
    .executeTakeFirstOrThrow();
  return ended_before;
}

/** Oldest first, in whole hours, with the full hours of `from` and `to`. */
export async function listRunHours(
  db: Db,
  bounds: { from: number; to: number; connectorId?: string },
): Promise<RunHour[]> {
  let query = toKysely(db)
    .selectFrom("run_hours")
    .selectAll()
    .where("hour", ">=", Math.floor(bounds.from / hourMs))
    .where("hour", "<=", Math.floor(bounds.to / hourMs))
    .orderBy("hour");
  if (bounds.connectorId !== undefined)
    query = query.where("connector_id", "=", bounds.connectorId);
  return (await query.execute()).map((row) => ({
    at: row.hour * hourMs,
    connectorId: row.connector_id === "" ? null : row.connector_id,
    status: row.status,
    runs: row.runs,
    latencyMs: row.latency_ms,
  }));
}

/** Deletes hours that ended before a time. */
export async function purgeRunHours(
  db: Db,
  { endedBefore }: { endedBefore: number },
): Promise<void> {
  await toKysely(db)
    .deleteFrom("run_hours")
    .where("hour", "<", Math.floor(endedBefore / hourMs))
    .execute();
}
