import type { Db } from "../database/database.ts";
import type { RunStatus } from "../database/tables.ts";
import { toIdMs } from "../database/timed-ids.ts";
import {
  findScanEnd,
  narrowToRow,
  type RunScanFilter,
  runsScannedMax,
  selectScan,
  toScanSize,
} from "./run-scans.ts";

const hourMs = 3_600_000;

/** Runs that began in one hour, by status. */
export type CountedHour = { at: number; byStatus: Partial<Record<RunStatus, number>> };

export type RunCounts = {
  /** Oldest first, without hours in which no run began. */
  hours: CountedHour[];
  /** Only runs that began after this time are counted; null if these are all. Epoch ms. */
  stoppedAt: number | null;
};

/** Counts the newest runs that match a filter. Like a page, it scans at most `runsScannedMax` runs. */
export async function countRuns(db: Db, given: RunScanFilter): Promise<RunCounts> {
  const hours = new Map<number, CountedHour>();
  const toCounts = (stoppedAt: number | null): RunCounts => ({
    hours: [...hours.values()].reverse(),
    stoppedAt,
  });
  const filter = await narrowToRow(db, given);
  if (filter === null) return toCounts(null);
  const atOnce = toScanSize(filter);
  let before = filter.before;
  for (let scanned = atOnce; ; scanned += atOnce) {
    const rest = { ...filter, ...(before !== undefined && { before }) };
    // Only columns in front of the request: SQLite would read all of it to reach those after it.
    const runs = await selectScan(db, rest, atOnce)
      .select(["id", "status"])
      .orderBy("id", "desc")
      .execute();
    for (const run of runs) addRun(hours, run);
    const end = await findScanEnd(db, rest, atOnce);
    if (end === null) return toCounts(null);
    if (scanned >= runsScannedMax) return toCounts(toIdMs(end));
    before = end;
    // Lets other requests run between two scans.
    await Bun.sleep(0);
  }
}

function addRun(hours: Map<number, CountedHour>, run: { id: string; status: RunStatus }): void {
  const at = Math.floor(toIdMs(run.id) / hourMs) * hourMs;
  const known = hours.get(at);
  const hour = known ?? { at, byStatus: {} };
  if (known === undefined) hours.set(at, hour);
  hour.byStatus[run.status] = (hour.byStatus[run.status] ?? 0) + 1;
}
