import type { Db } from "../database/database.ts";
import { toIdMs } from "../database/timed-ids.ts";
import {
  findScanEnd,
  isWholeScan,
  narrowToRow,
  type RunScanFilter,
  selectScan,
  toScanSize,
} from "./run-scans.ts";

type Portions<Run> = {
  /** Runs of one portion, which blocks the event loop, and of all portions. */
  atOnceMax: number;
  scannedMax: number;
  /** Reads the wanted columns of a portion, newest first. */
  read(scan: ReturnType<typeof selectScan>): Promise<Run[]>;
  /** Called for each run that matches, newest first. */
  add(run: Run): void;
};

/**
 * Looks at the newest runs that match a filter, portion by portion along an index. Resolves with the time at
 * which it stopped (epoch ms): older runs were not looked at. Null if these are all.
 */
export async function scanInPortions<Run extends { id: string }>(
  db: Db,
  given: RunScanFilter,
  { atOnceMax, scannedMax, read, add }: Portions<Run>,
): Promise<number | null> {
  const filter = await narrowToRow(db, given);
  if (filter === null) return null;
  const atOnce = Math.min(toScanSize(filter), atOnceMax);
  let before = filter.before;
  for (let scanned = atOnce; ; scanned += atOnce) {
    const rest = { ...filter, ...(before !== undefined && { before }) };
    const runs = await read(selectScan(db, rest, atOnce));
    for (const run of runs) add(run);
    const last = runs.length < atOnce ? null : (runs.at(-1)?.id ?? null);
    const end = isWholeScan(rest) ? last : await findScanEnd(db, rest, atOnce);
    if (end === null) return null;
    if (scanned >= scannedMax) return toIdMs(end);
    before = end;
    // Lets other requests run between two portions.
    await Bun.sleep(0);
  }
}
