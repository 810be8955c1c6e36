import type { RunCounts } from "@hub/contract/run-history.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { z } from "zod";
import type { Caller } from "../../caller.ts";
import { toVisibleTags } from "../../connectors/rows/row-visibility.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import { type CountedHour, countRuns } from "../../store/runs/run-counts.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { toCountSpan } from "./count-span.ts";
import { historyFilterSchema, toScanFilter } from "./own-run-history.ts";

const hourMs = 3_600_000;

const countFilterSchema = historyFilterSchema.omit({ before: true, limit: true, grouped: true });
export type CountFilter = z.input<typeof countFilterSchema>;

type CountDeps = Pick<ServiceDeps, "store" | "now">;

/**
 * The newest runs that match the filter, by outcome and hour, of the last day or a span; of a message of several calls,
 * these. For admins.
 */
export async function countAllRuns(
  deps: CountDeps,
  caller: Caller,
  filter: CountFilter,
): Promise<RunCounts> {
  return await count(deps, caller, filter, {});
}

/** The same of the caller's own runs, without those of rows that the caller no longer sees. */
export async function countOwnRuns(
  deps: CountDeps,
  caller: Caller,
  filter: Omit<CountFilter, "user">,
): Promise<RunCounts> {
  const rowsTaggedAmong = toVisibleTags(caller);
  return await count(deps, caller, { ...filter, user: caller.userId }, { rowsTaggedAmong });
}

async function count(
  { store: { db }, now }: CountDeps,
  caller: Caller,
  filter: CountFilter,
  bounds: Parameters<typeof toScanFilter>[2],
): Promise<RunCounts> {
  const given = checkInput(countFilterSchema, filter);
  const { from, to } = toCountSpan(given, now());
  const scan = toScanFilter(caller, { ...given, from, to }, { ...bounds, withoutMessages: true });
  const { hours, stoppedAt } =
    scan === null ? { hours: [], stoppedAt: null } : await countRuns(db, scan);
  const series = hours.map(toPoint).filter(({ runs }) => runs > 0);
  return {
    from: toTimeText(Math.floor(from / hourMs) * hourMs),
    to: toTimeText(Math.ceil(to / hourMs) * hourMs),
    counted_from: stoppedAt === null ? null : toTimeText(stoppedAt),
    runs: series.reduce((sum, { runs }) => sum + runs, 0),
    running: hours.reduce((sum, { byStatus }) => sum + (byStatus.running ?? 0), 0),
    series,
  };
}

function toPoint({ at, byStatus: { running, ...ended } }: CountedHour) {
  const runs = Object.values(ended).reduce((sum, number) => sum + number, 0);
  return { at: toTimeText(at), runs, by_status: ended };
}
