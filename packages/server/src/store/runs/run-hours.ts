import { sql } from "kysely";
import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { RunStatus } from "../database/tables/run-tables.ts";
import { countRunBytes } from "./run-bytes.ts";
import { isNoMessage } from "./run-conditions.ts";
import { countHeldBytes } from "./run-holders.ts";

const hourMs = 3_600_000;
/** Runs counted in one transaction, which blocks the event loop and other writers for a few ms. */
const countedAtOnce = 5_000;
/** Hours whose counts are summed in one statement. */
const hoursAtOnce = 7 * 24;

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
 * Counts finished runs that no process has counted yet, at most some thousands. Of a message of several calls, these are
 * counted. Resolves with the time up to which runs are counted, and whether these are all up to `endedBefore`.
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
        and ${isNoMessage}
      group by 1, 2, 3
      on conflict (hour, connector_id, status) do update set
        runs = run_hours.runs + excluded.runs, latency_ms = run_hours.latency_ms + excluded.latency_ms`.execute(
      toKysely(trx),
    );
    await countRunBytes(trx, { from, until: boundary });
    await countHeldBytes(trx, { from, until: boundary });
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

/** The counted runs of all rows in one hour, or of one row in all hours, with one status. */
export type RunSums = {
  byHour: Omit<RunHour, "connectorId">[];
  byRow: Omit<RunHour, "at">[];
};

/**
 * Sums of the full hours of `from` and `to`; hours oldest first. It reads some days at a time, because a
 * year of many rows has millions of counts.
 */
export async function sumRunHours(
  db: Db,
  bounds: { from: number; to: number; connectorId?: string },
): Promise<RunSums> {
  const { connectorId } = bounds;
  const [first, last] = [Math.floor(bounds.from / hourMs), Math.floor(bounds.to / hourMs)];
  const byHour: RunSums["byHour"] = [];
  const byRow = new Map<string, RunSums["byRow"][number]>();
  for (let hour = first; hour <= last; hour += hoursAtOnce) {
    const part = { from: hour, to: Math.min(last, hour + hoursAtOnce - 1), connectorId };
    const hours = await selectSums(db, part)
      .select("hour")
      .groupBy("hour")
      .orderBy("hour")
      .execute();
    byHour.push(...hours.map((row) => ({ at: row.hour * hourMs, ...toSum(row) })));
    const rows = await selectSums(db, part)
      .select("connector_id")
      .groupBy("connector_id")
      .execute();
    for (const row of rows) {
      const key = `${row.status} ${row.connector_id}`;
      const known = byRow.get(key);
      const sum = toSum(row);
      byRow.set(key, {
        connectorId: row.connector_id === "" ? null : row.connector_id,
        status: row.status,
        runs: sum.runs + (known?.runs ?? 0),
        latencyMs: sum.latencyMs + (known?.latencyMs ?? 0),
      });
    }
    // Lets other requests run between two parts.
    await Bun.sleep(0);
  }
  return { byHour, byRow: [...byRow.values()] };
}

function selectSums(
  db: Db,
  bounds: { from: number; to: number; connectorId?: string | undefined },
) {
  const sums = toKysely(db)
    .selectFrom("run_hours")
    .select(({ fn }) => [
      "status",
      // PostgreSQL's sum of integers is a decimal number, which the client returns as a text.
      sql<number>`cast(${fn.sum("runs")} as bigint)`.as("runs"),
      sql<number>`cast(${fn.sum("latency_ms")} as bigint)`.as("latency_ms"),
    ])
    .where("hour", ">=", bounds.from)
    .where("hour", "<=", bounds.to)
    .groupBy("status");
  const { connectorId } = bounds;
  return connectorId === undefined ? sums : sums.where("connector_id", "=", connectorId);
}

function toSum(row: { status: RunStatus; runs: number; latency_ms: number }) {
  return { status: row.status, runs: row.runs, latencyMs: row.latency_ms };
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
