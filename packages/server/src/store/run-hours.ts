import { sql } from "kysely";
import { inTransaction } from "./in-transaction.ts";
import { countRunBytes } from "./run-bytes.ts";
import type { Db, RunStatus } from "./tables.ts";

const hourMs = 3_600_000;
/** Runs counted in one transaction: the event loop and the write lock are held for a few ms. */
const countedAtOnce = 5_000;

/** How many runs of one row ended in one hour, and in which way. */
export type RunHour = {
  /** When the hour began; epoch ms. */
  at: number;
  /** Null for calls of meta-tools that concern no row. */
  connectorId: string | null;
  status: RunStatus;
  runs: number;
  /** Of all of them together. */
  latencyMs: number;
};

/**
 * Counts finished runs that no process has counted yet, some thousands at most. Resolves with the
 * moment up to which they are counted, and whether that is all of them up to `endedBefore`.
 */
export function countRunHours(
  db: Db,
  { endedBefore }: { endedBefore: number },
): Promise<{ until: number; isAll: boolean }> {
  return inTransaction(db, async (trx) => {
    const from = await readCountedUntil(trx);
    if (from >= endedBefore) return { until: from, isAll: true };
    const { rows } = await sql<{ ended_at: number }>`
      select ended_at from connector_runs
      where ended_at >= ${from} and ended_at < ${endedBefore}
      order by ended_at limit 1 offset ${countedAtOnce}`.execute(trx);
    // All that ended in one millisecond are counted together, however many they are.
    const boundary = rows[0] === undefined ? endedBefore : Math.max(rows[0].ended_at, from + 1);
    await sql`
      insert into run_hours (hour, connector_id, status, runs, latency_ms)
      select ended_at / ${sql.lit(hourMs)}, coalesce(connector_id, ''), status, count(*),
        sum(coalesce(latency_ms, 0))
      from connector_runs where ended_at >= ${from} and ended_at < ${boundary}
      group by 1, 2, 3
      on conflict (hour, connector_id, status) do update set
        runs = run_hours.runs + excluded.runs, latency_ms = run_hours.latency_ms + excluded.latency_ms`.execute(
      trx,
    );
    await countRunBytes(trx, { from, until: boundary });
    await trx.updateTable("run_hours_until").set({ ended_before: boundary }).execute();
    return { until: boundary, isAll: boundary === endedBefore };
  });
}

/** Runs that ended before this moment are counted; epoch ms. */
export async function readCountedUntil(db: Db): Promise<number> {
  const { ended_before } = await db
    .selectFrom("run_hours_until")
    .select("ended_before")
    .executeTakeFirstOrThrow();
  return ended_before;
}

/** Oldest first. Hours are whole ones: those that hold `from` and `to` are there in full. */
export async function listRunHours(
  db: Db,
  bounds: { from: number; to: number; connectorId?: string },
): Promise<RunHour[]> {
  let query = db
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

/** Forgets hours that ended before a time. */
export async function purgeRunHours(
  db: Db,
  { endedBefore }: { endedBefore: number },
): Promise<void> {
  await db
    .deleteFrom("run_hours")
    .where("hour", "<", Math.floor(endedBefore / hourMs))
    .execute();
}
