import { repeatConflicts } from "../../database/retry-conflicts.ts";
import { type HourlyCounts, hourMs } from "../../limits/hourly-counts.ts";
import type { ConnectionPool } from "../connections/connection-pool.ts";
import { clockText } from "../database-clock.ts";
import { isConflict } from "../postgres-errors.ts";

/** Each process takes a hundredth of the limit ahead, so that most calls ask nothing. */
const spareShare = 100;
/** Keys whose spare is kept. What an older key had ahead is lost to its user. */
const keysMax = 10_000;

/** Counts for all processes of the database. */
export function createPostgresHourlyCounts({
  pool,
}: {
  pool: Pick<ConnectionPool, "query">;
}): HourlyCounts {
  const spares = new Map<string, number>();

  function keep(key: string, spare: number): void {
    spares.delete(key);
    if (spare > 0) spares.set(key, spare);
    const [oldest] = spares.keys();
    if (spares.size > keysMax && oldest !== undefined) spares.delete(oldest);
  }

  return {
    take(key, amount, perHour) {
      const spare = spares.get(key) ?? 0;
      if (spare >= amount) {
        keep(key, spare - amount);
        return 0;
      }
      const ahead = Math.floor(perHour / spareShare);
      const ask = async () => {
        const { rows } = await pool.query<{ granted: number; taken: number }>(statement, [
          key,
          amount,
          amount + ahead,
          perHour,
        ]);
        const { granted = 0, taken = perHour } = rows[0] ?? {};
        if (granted >= amount) {
          keep(key, (spares.get(key) ?? 0) + granted - amount);
          return 0;
        }
        return Math.max(1, ((taken + amount - perHour) / perHour) * hourMs);
      };
      return repeatConflicts({ isConflict }, ask);
    },
  };
}

/**
 * Grants between `$2` and `$3`, or nothing. The row is locked and its latest version is read when it is changed, so
 * processes never grant the same amount. The table is that of the limits per minute; the keys differ.
 */
const statement = `
  insert into call_counts as counts (key, taken, taken_at, granted, holders)
  values ($1::text, least($3::int, $4::int), ${clockText}, least($3::int, $4::int), '{}')
  on conflict (key) do update set (taken, taken_at, granted) = (
    select used.amount + grants.amount, now.ms, grants.amount
    from
      lateral (select ${clockText} as ms) as now,
      lateral (select greatest(0, least(counts.taken, $4::int)
        - greatest(0, now.ms - counts.taken_at) * $4::int / ${hourMs}.0) as amount) as used,
      lateral (select case when used.amount + $2::int > $4::int then 0
        else floor(least($3::int, $4::int - used.amount))::int end as amount) as grants)
  returning granted, taken`;
