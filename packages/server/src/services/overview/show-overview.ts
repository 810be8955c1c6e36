import type { Overview, OverviewRow } from "@hub/contract/overview.ts";
import type { Caller } from "../../caller.ts";
import { toVisibleTags } from "../../connectors/rows/row-visibility.ts";
import { type RowFigure, sumRunsByRow } from "../../store/runs/row-figures.ts";
import { findRowLabels } from "../../store/search/name-lookups.ts";
import { findConnectorKeys } from "../../store/search/search-texts.ts";
import { countWaitingRuns } from "../../store/workflow-runs/count-waiting-runs.ts";
import { countWaitingApprovals } from "../../workflows/approvals/list-approvals.ts";
import { countWaitingCalls } from "../pending/list-pending-calls.ts";
import { countOwnRuns } from "../runs/count-runs-by-hour.ts";
import { summarizeRuns } from "../runs/summarize-runs.ts";
import type { ServiceDeps } from "../service-deps.ts";

const dayMs = 24 * 60 * 60 * 1000;
const spans = { day: dayMs, week: 7 * dayMs };
const rowsMax = 5;
const namedAtOnce = 50;
const waitingMax = 1000;
/** Fewer calls say nothing about the time that a row takes. */
const slowCallsMin = 5;

/** The calls of the last day or week, the rows that stand out, and what waits: of the hub for admins, of the caller for others. */
export async function showOverview(
  deps: ServiceDeps,
  caller: Caller,
  { span }: { span: keyof typeof spans },
): Promise<Overview> {
  const from = deps.now() - spans[span];
  const isAdmin = caller.role === "admin";
  const { rows, ...calls } = isAdmin
    ? await readAll(deps, from)
    : await readOwn(deps, caller, from);
  const failing = rows.filter(({ errors }) => errors > 0);
  const slow = rows.filter(({ calls: count }) => count >= slowCallsMin);
  return {
    ...calls,
    failing: await pickMost(deps, failing, ({ errors }) => errors),
    slowest: await pickMost(deps, slow, ({ mean_latency_ms: ms }) => ms ?? 0),
    waiting: {
      approvals: Math.min(
        waitingMax,
        (await countWaitingApprovals(deps, caller)) + (await countWaitingCalls(deps, caller)),
      ),
      workflow_runs: await countWaitingRuns(deps.store.db, {
        ...(!isAdmin && { ownerId: caller.userId }),
        max: waitingMax,
      }),
    },
  };
}

type Figures = Omit<Overview, "failing" | "slowest" | "waiting"> & { rows: RowFigures[] };
type RowFigures = Omit<OverviewRow, "label" | "connector">;

async function readAll(deps: ServiceDeps, from: number): Promise<Figures> {
  const summary = await summarizeRuns(deps, { from: new Date(from).toISOString() });
  const { total, by_row: byRow, series, running } = summary;
  return {
    from: summary.from,
    to: summary.to,
    counted_until: summary.counted_until,
    counted_from: null,
    calls: total.runs,
    errors: total.by_status.error ?? 0,
    denied: total.by_status.denied ?? 0,
    running,
    mean_latency_ms: total.mean_latency_ms,
    series: series.map(({ mean_latency_ms: _, ...point }) => point),
    rows: byRow.flatMap(({ connector_id: id, runs, by_status: byStatus, ...figures }) =>
      id === null
        ? []
        : [
            {
              id,
              calls: runs,
              errors: byStatus.error ?? 0,
              mean_latency_ms: figures.mean_latency_ms,
            },
          ],
    ),
  };
}

async function readOwn(deps: ServiceDeps, caller: Caller, from: number): Promise<Figures> {
  const counts = await countOwnRuns(deps, caller, { from: new Date(from).toISOString() });
  const figures = await sumRunsByRow(deps.store.db, {
    userId: caller.userId,
    rowsTaggedAmong: toVisibleTags(caller) ?? [],
    startedFrom: Date.parse(counts.from),
  });
  const ended = figures.filter(({ status }) => status !== "running");
  const total = sumUp(ended);
  const denied = ended.filter(({ status }) => status === "denied");
  const rows = [...Map.groupBy(ended, ({ connectorId }) => connectorId)];
  return {
    from: counts.from,
    to: counts.to,
    counted_until: null,
    counted_from: counts.counted_from,
    ...total,
    denied: denied.reduce((sum, { runs }) => sum + runs, 0),
    running: counts.running,
    series: counts.series,
    rows: rows.flatMap(([id, group]) => (id === null ? [] : [{ id, ...sumUp(group) }])),
  };
}

function sumUp(figures: readonly RowFigure[]): Omit<RowFigures, "id"> {
  const calls = figures.reduce((sum, { runs }) => sum + runs, 0);
  const latencyMs = figures.reduce((sum, one) => sum + one.latencyMs, 0);
  const failed = figures.filter(({ status }) => status === "error");
  return {
    calls,
    errors: failed.reduce((sum, { runs }) => sum + runs, 0),
    mean_latency_ms: calls === 0 ? null : Math.round((latencyMs / calls) * 10) / 10,
  };
}

/** Without rows that are deleted. */
async function nameRows(
  { store: { db } }: ServiceDeps,
  rows: RowFigures[],
): Promise<OverviewRow[]> {
  const ids = rows.map(({ id }) => id);
  const labels = await findRowLabels(db, ids);
  const connectors = await findConnectorKeys(db, ids);
  return rows.flatMap((row) => {
    const [label, connector] = [labels.get(row.id), connectors.get(row.id)];
    return label === undefined || connector === undefined ? [] : [{ ...row, label, connector }];
  });
}

/** Those with the most. Names a few at a time: thousands of rows may have calls, and some of them are deleted. */
async function pickMost(
  deps: ServiceDeps,
  rows: readonly RowFigures[],
  toSize: (row: RowFigures) => number,
): Promise<OverviewRow[]> {
  const bySize = rows.toSorted(
    (one, other) => toSize(other) - toSize(one) || (one.id < other.id ? -1 : 1),
  );
  const most: OverviewRow[] = [];
  for (let first = 0; first < bySize.length && most.length < rowsMax; first += namedAtOnce) {
    most.push(...(await nameRows(deps, bySize.slice(first, first + namedAtOnce))));
  }
  return most.slice(0, rowsMax);
}
