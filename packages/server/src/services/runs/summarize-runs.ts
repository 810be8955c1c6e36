import type { RunFigures, RunSummary } from "@hub/contract/run-history.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { z } from "zod";
import { checkInput, momentSchema } from "../../lib/input/check-input.ts";
import { isMessage } from "../../store/runs/run-conditions.ts";
import { type RunHour, readCountedUntil, sumRunHours } from "../../store/runs/run-hours.ts";
import { listRuns } from "../../store/runs/runs-table.ts";
import { findRowLabels } from "../../store/search/name-lookups.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { toCountSpan } from "./count-span.ts";

const hourMs = 3_600_000;
/** The largest number of running calls that is reported. */
const runningMax = 1000;

const spanSchema = z.strictObject({
  from: momentSchema.optional(),
  to: momentSchema.optional(),
  row: z.uuid({ error: "must be the id of a row." }).toLowerCase().optional(),
});
export type SummaryInput = z.input<typeof spanSchema>;

type SummaryDeps = Pick<ServiceDeps, "store" | "now">;

/** Run statistics of all rows or one, for the last day or the given hours. For admins. */
export async function summarizeRuns(
  { store: { db }, now }: SummaryDeps,
  input: SummaryInput,
): Promise<RunSummary> {
  const { row, ...given } = checkInput(spanSchema, input);
  const { from, to } = toCountSpan(given, now());
  const filter = row === undefined ? {} : { connectorId: row };
  const { byHour, byRow } = await sumRunHours(db, { from, to, ...filter });
  const rowIds = byRow.flatMap(({ connectorId }) => (connectorId === null ? [] : [connectorId]));
  const labels = await findRowLabels(db, rowIds);
  const running = await listRuns(db, { status: "running", limit: runningMax, ...filter });
  const rows = [...Map.groupBy(byRow, (sum) => sum.connectorId)].map(([connectorId, group]) => ({
    connector_id: connectorId,
    label: connectorId === null ? null : (labels.get(connectorId) ?? null),
    ...toStatistics(group),
  }));
  return {
    from: toTimeText(Math.floor(from / hourMs) * hourMs),
    to: toTimeText((Math.floor(to / hourMs) + 1) * hourMs),
    counted_until: toTimeText(await readCountedUntil(db)),
    total: toStatistics(byRow),
    running: running.filter((run) => !isMessage(run)).length,
    by_row: rows.toSorted((one, other) => other.runs - one.runs),
    series: [...Map.groupBy(byHour, (sum) => sum.at)].map(([at, group]) => ({
      at: toTimeText(at),
      ...toStatistics(group),
    })),
  };
}

function toStatistics(sums: readonly Pick<RunHour, "status" | "runs" | "latencyMs">[]): RunFigures {
  const statistics: RunFigures = { runs: 0, by_status: {}, mean_latency_ms: null };
  let latencyMs = 0;
  for (const sum of sums) {
    statistics.runs += sum.runs;
    statistics.by_status[sum.status] = (statistics.by_status[sum.status] ?? 0) + sum.runs;
    latencyMs += sum.latencyMs;
  }
  if (statistics.runs > 0)
    statistics.mean_latency_ms = Math.round((latencyMs / statistics.runs) * 10) / 10;
  return statistics;
}
