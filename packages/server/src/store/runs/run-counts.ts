import type { Db } from "../database/database.ts";
import type { RunStatus } from "../database/tables/run-tables.ts";
import { toIdMs } from "../database/timed-ids.ts";
import { type RunScanFilter, runsScannedMax } from "./run-scans.ts";
import { scanInPortions } from "./scan-portions.ts";

const hourMs = 3_600_000;
/** Runs that are counted in one go, which takes some milliseconds of the event loop: pages ask for counts again and again. */
const countedAtOnce = 1_000;

/** Runs that began in one hour, by status. */
export type CountedHour = { at: number; byStatus: Partial<Record<RunStatus, number>> };

export type RunCounts = {
  /** Oldest first, without hours in which no run began. */
  hours: CountedHour[];
  /** Only runs that began after this time are counted; null if these are all. Epoch ms. */
  stoppedAt: number | null;
};

/** Counts the newest runs that match a filter. Like a page, it scans at most `runsScannedMax` runs. */
export async function countRuns(db: Db, filter: RunScanFilter): Promise<RunCounts> {
  const hours = new Map<number, CountedHour>();
  const stoppedAt = await scanInPortions(db, filter, {
    atOnceMax: countedAtOnce,
    scannedMax: runsScannedMax,
    // Only columns in front of the request: SQLite would read all of it to reach those after it.
    read: (scan) => scan.select(["id", "status"]).orderBy("id", "desc").execute(),
    add: (run) => addRun(hours, run),
  });
  return { hours: [...hours.values()].reverse(), stoppedAt };
}

function addRun(hours: Map<number, CountedHour>, run: { id: string; status: RunStatus }): void {
  const at = Math.floor(toIdMs(run.id) / hourMs) * hourMs;
  const known = hours.get(at);
  const hour = known ?? { at, byStatus: {} };
  if (known === undefined) hours.set(at, hour);
  hour.byStatus[run.status] = (hour.byStatus[run.status] ?? 0) + 1;
}
