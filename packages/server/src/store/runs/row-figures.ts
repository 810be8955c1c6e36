import type { Db } from "../database/database.ts";
import type { RunStatus } from "../database/tables.ts";
import { toIdMs } from "../database/timed-ids.ts";
import { findScanEnd, type RunScanFilter, runsScannedMax, selectScan } from "./run-scans.ts";

/** The ended runs of one row with one status. */
export type RowFigure = {
  /** Null for calls that reached no row, such as those of meta-tools. */
  connectorId: string | null;
  status: RunStatus;
  runs: number;
  latencyMs: number;
};

/** Runs in one scan, which blocks the event loop for some milliseconds. */
const scannedAtOnce = 5_000;

/**
 * The newest runs of one user, summed by row and status. Like a page, it scans at most `runsScannedMax` runs; `stoppedAt` then
 * is the time after which they began (epoch ms).
 */
export async function sumRunsByRow(
  db: Db,
  filter: RunScanFilter,
): Promise<{ figures: RowFigure[]; stoppedAt: number | null }> {
  const figures = new Map<string, RowFigure>();
  let before: string | undefined;
  for (let scanned = scannedAtOnce; ; scanned += scannedAtOnce) {
    const rest = { ...filter, ...(before !== undefined && { before }) };
    const runs = await selectScan(db, rest, scannedAtOnce)
      .select(["connector_id", "row_label", "status", "latency_ms"])
      .orderBy("id", "desc")
      .execute();
    for (const { connector_id, row_label: label, status, latency_ms: latencyMs } of runs) {
      // Without a label, the row did not exist for the caller: the id is what the caller sent.
      const connectorId = label === null ? null : connector_id;
      const key = `${status} ${connectorId}`;
      const known = figures.get(key) ?? { connectorId, status, runs: 0, latencyMs: 0 };
      known.runs += 1;
      known.latencyMs += latencyMs ?? 0;
      figures.set(key, known);
    }
    const end = await findScanEnd(db, rest, scannedAtOnce);
    if (end === null) return { figures: [...figures.values()], stoppedAt: null };
    if (scanned >= runsScannedMax) {
      return { figures: [...figures.values()], stoppedAt: toIdMs(end) };
    }
    before = end;
    // Lets other requests run between two scans.
    await Bun.sleep(0);
  }
}
