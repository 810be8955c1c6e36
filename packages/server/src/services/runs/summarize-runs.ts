import type { RunFigures, RunSummary } from "@hub/contract/run-history.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { z } from "zod";
import { findRowLabels } from "../../store/lookups.ts";
import { listRunHours, type RunHour, readCountedUntil } from "../../store/run-hours.ts";
import { listRuns } from "../../store/runs.ts";
import { checkInput, momentSchema } from "../check-input.ts";
import type { ServiceDeps } from "../service-deps.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const spanMsMax = 366 * dayMs;
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
  const { from: given, to = now(), row } = checkInput(spanSchema, input);
  const from = Math.max(given ?? to - dayMs, to - spanMsMax);
  const filter = row === undefined ? {} : { connectorId: row };
  const hours = await listRunHours(db, { from, to, ...filter });
  const rowIds = hours.flatMap(({ connectorId }) => (connectorId === null ? [] : [connectorId]));
  const labels = await findRowLabels(db, rowIds);
  const running = await listRuns(db, { status: "running", limit: runningMax, ...filter });
  const byRow = [...groupBy(hours, (hour) => hour.connectorId)].map(([connectorId, group]) => ({
    connector_id: connectorId,
    label: connectorId === null ? null : (labels.get(connectorId) ?? null),
    ...toStatistics(group),
  }));
  return {
    from: toTimeText(Math.floor(from / hourMs) * hourMs),
    to: toTimeText((Math.floor(to / hourMs) + 1) * hourMs),
    counted_until: toTimeText(await readCountedUntil(db)),
    total: toStatistics(hours),
    running: running.length,
    by_row: byRow.toSorted((one, other) => other.runs - one.runs),
    series: [...groupBy(hours, (hour) => hour.at)].map(([at, group]) => ({
      at: toTimeText(at),
      ...toStatistics(group),
    })),
  };
}

function groupBy<Key>(hours: readonly RunHour[], toKey: (hour: RunHour) => Key) {
  const groups = new Map<Key, RunHour[]>();
  for (const hour of hours) {
    const key = toKey(hour);
    groups.set(key, [...(groups.get(key) ?? []), hour]);
  }
  return groups;
}

function toStatistics(hours: readonly RunHour[]): RunFigures {
  const statistics: RunFigures = { runs: 0, by_status: {}, mean_latency_ms: null };
  let latencyMs = 0;
  for (const hour of hours) {
    statistics.runs += hour.runs;
    statistics.by_status[hour.status] = (statistics.by_status[hour.status] ?? 0) + hour.runs;
    latencyMs += hour.latencyMs;
  }
  if (statistics.runs > 0)
    statistics.mean_latency_ms = Math.round((latencyMs / statistics.runs) * 10) / 10;
  return statistics;
}
