import type { z } from "zod";
import type { Caller } from "../../caller.ts";
import { toVisibleTags } from "../../connectors/rows/row-visibility.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import type { RunScanFilter } from "../../store/runs/run-scans.ts";
import { historyFilterSchema, toScanFilter } from "./own-run-history.ts";

const filterSchema = historyFilterSchema.omit({ before: true, limit: true, grouped: true });
export type CallFilter = z.input<typeof filterSchema>;

/** Whose calls are looked at: those of all users, for admins, or the caller's own. */
export type CallsOf = "all" | "own";

/**
 * What statistics of calls look at: of a message of several calls, at these. The own calls are without those of rows that the
 * caller no longer sees. Null if no call can match.
 */
export function toCallScan(caller: Caller, of: CallsOf, filter: CallFilter): RunScanFilter | null {
  const given = checkInput(filterSchema, filter);
  const bounds = { withoutMessages: true } as const;
  if (of === "all") return toScanFilter(caller, given, bounds);
  const rowsTaggedAmong = toVisibleTags(caller);
  return toScanFilter(caller, { ...given, user: caller.userId }, { ...bounds, rowsTaggedAmong });
}
