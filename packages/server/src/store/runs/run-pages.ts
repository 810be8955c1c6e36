import type { Db } from "../database/database.ts";
import { tableColumns } from "../database/table-columns.ts";
import {
  findScanEnd,
  narrowToRow,
  type RunScanFilter,
  runsScannedMax,
  selectScan,
  toScanSize,
} from "./run-scans.ts";
import { type ListedRun, toListedRun } from "./runs-table.ts";

export type RunPageFilter = RunScanFilter & { limit: number };

export type RunPage = {
  /** Newest first. May be fewer than the limit, even if there are more pages. */
  runs: ListedRun[];
  /** The `before` of the next page; null on the last page. */
  next: string | null;
};

/**
 * One page of runs, fast for any number of runs: it reads along the index of one condition, checks
 * the others for at most `runsScannedMax` runs, and returns where it stopped.
 */
export async function listRunPage(db: Db, given: RunPageFilter): Promise<RunPage> {
  const runs: ListedRun[] = [];
  const filter = await narrowToRow(db, given);
  if (filter === null) return { runs, next: null };
  const atOnce = toScanSize(filter);
  let before = filter.before;
  for (let scanned = atOnce; ; scanned += atOnce) {
    const limit = filter.limit - runs.length;
    const rest = { ...filter, limit, ...(before !== undefined && { before }) };
    const part = await scanRuns(db, rest, atOnce);
    runs.push(...part.runs);
    const isOver = runs.length === filter.limit || part.next === null || scanned >= runsScannedMax;
    if (isOver) return { runs, next: part.next };
    before = part.next ?? undefined;
    // Lets other requests run between two scans.
    await Bun.sleep(0);
  }
}

const listedColumns = tableColumns.connector_runs.filter(
  (column): column is Exclude<typeof column, "request" | "response"> =>
    column !== "request" && column !== "response",
);

async function scanRuns(db: Db, filter: RunPageFilter, atOnce: number): Promise<RunPage> {
  const found = await selectScan(db, filter, atOnce)
    .select(listedColumns)
    .orderBy("id", "desc")
    .limit(filter.limit)
    .execute();
  const runs = found.map(toListedRun);
  const last = runs.length === filter.limit ? runs.at(-1)?.id : undefined;
  return { runs, next: last ?? (await findScanEnd(db, filter, atOnce)) };
}
