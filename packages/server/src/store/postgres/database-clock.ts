import type { SharedClock } from "../store.ts";
import type { ConnectionPool } from "./connections/connection-pool.ts";

/** The database's time in epoch ms. It goes on during a transaction. */
export const clockText = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

export type DatabaseClock = SharedClock & {
  /** The duration of the last measurement. */
  roundTripMs(): number;
};

type ClockDeps = {
  pool: Pick<ConnectionPool, "query">;
  /** This machine's clock. */
  readOwnMs?: () => number;
};

/** This machine's clock, corrected by what it was off when it was last compared. */
export async function openDatabaseClock({
  pool,
  readOwnMs = () => Date.now(),
}: ClockDeps): Promise<DatabaseClock> {
  let offsetMs = 0;
  let roundTripMs = 0;

  async function measure(): Promise<void> {
    const startedAt = performance.now();
    const { rows } = await pool.query<{ ms: number }>(`select ${clockText} as ms`);
    roundTripMs = performance.now() - startedAt;
    const [row] = rows;
    if (row === undefined) throw new Error("The database returned no time.");
    // The time was read at some moment of the round trip, so it is known to half of its duration.
    const measuredMs = row.ms + roundTripMs / 2 - readOwnMs();
    // A smaller difference is the measurement's own error, and the time would jump for nothing.
    if (Math.abs(measuredMs - offsetMs) > roundTripMs / 2 + 1) offsetMs = Math.round(measuredMs);
  }

  // The first one also opens a connection, so its duration shows little.
  await measure();
  await measure();
  return {
    now: () => readOwnMs() + offsetMs,
    measure,
    offsetMs: () => offsetMs,
    roundTripMs: () => roundTripMs,
  };
}
