import type { Db } from "../database/database.ts";
import type { RunStatus } from "../database/tables/run-tables.ts";
import { timedAtOnce } from "./run-figures.ts";
import { type RunScanFilter, runsScannedMax } from "./run-scans.ts";
import { scanInPortions } from "./scan-portions.ts";

/** The runs of one row with one status. */
export type RowFigure = {
  /** Null for calls that reached no row, such as those of meta-tools. */
  connectorId: string | null;
  status: RunStatus;
  runs: number;
  latencyMs: number;
};

/** The newest runs that match a filter, summed by row and status. Like a page, it scans at most `runsScannedMax` runs. */
export async function sumRunsByRow(db: Db, filter: RunScanFilter): Promise<RowFigure[]> {
  const figures = new Map<string, RowFigure>();
  await scanInPortions(db, filter, {
    atOnceMax: timedAtOnce,
    scannedMax: runsScannedMax,
    read: (scan) =>
      scan
        .select(["id", "connector_id", "row_label", "status", "latency_ms"])
        .orderBy("id", "desc")
        .execute(),
    add({ connector_id, row_label: label, status, latency_ms: latencyMs }) {
      // Without a label, the row did not exist for the caller: the id is what the caller sent.
      const connectorId = label === null ? null : connector_id;
      const key = `${status} ${connectorId}`;
      const known = figures.get(key) ?? { connectorId, status, runs: 0, latencyMs: 0 };
      known.runs += 1;
      known.latencyMs += latencyMs ?? 0;
      figures.set(key, known);
    },
  });
  return [...figures.values()];
}
