import type { RunSource, RunStatus } from "@hub/contract/run.ts";
import { findValue } from "../../ui/tables/named-values.ts";
import { readTextFilters, readTimeFilters } from "../../ui/tables/text-filters.ts";
import { sourceNames, statusNames } from "../../ui/text/call-names.ts";
import { type DateSpan, isDateSpan, toSpanTimes } from "./date-spans.ts";

/** The filters of the page of calls, as they stand in its address. */
export type RunFilters = {
  status?: RunStatus;
  source?: RunSource;
  connector?: string;
  row?: string;
  operation?: string;
  user?: string;
  /** Code of an error. */
  code?: string;
  /** A text in the error. */
  error?: string;
  /** Id of the call of a message or a script: only the calls that it made. */
  cause_id?: string;
  /** Days by the calendar. `from` and `to` do not count beside it. */
  span?: DateSpan;
  from?: string;
  to?: string;
  /** New calls are shown as they come. */
  live?: boolean;
  /** The calls of messages and scripts are lines of their own. */
  each?: boolean;
  /** The call that is shown beside the list. */
  open?: string;
};

/** What the API is asked for. */
export type RunQuery = Omit<RunFilters, "span" | "live" | "each" | "open">;

const texts = [
  "connector",
  "row",
  "operation",
  "user",
  "code",
  "error",
  "cause_id",
  "open",
] as const;

/** Filters by what a single call is. With one of them, a message would hide those of its calls that match. */
const ofSingleCalls = [
  "status",
  "connector",
  "row",
  "operation",
  "code",
  "error",
  "cause_id",
] as const;

/** Reads the filters of an address. What is not understood is left out. */
export function readRunFilters(search: Record<string, unknown>): RunFilters {
  const status = findValue(statusNames, search.status);
  const source = findValue(sourceNames, search.source);
  const { span } = search;
  return {
    ...(status !== undefined && { status }),
    ...(source !== undefined && { source }),
    ...readTextFilters(search, texts),
    ...(isDateSpan(span) ? { span } : readTimeFilters(search)),
    ...(search.live === true && { live: true }),
    ...(search.each === true && { each: true }),
  };
}

/** The filters as the API takes them. A span is of the calendar of this browser. */
export function toRunQuery(filters: RunFilters, now: Date): RunQuery {
  const { span, live: _live, each: _each, open: _open, from, to, ...query } = filters;
  if (span !== undefined) return { ...query, ...toSpanTimes(span, now) };
  return { ...query, ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** Whether the list is limited. What is open, and how it is followed, limits nothing. */
export function isLimited(filters: RunFilters): boolean {
  return Object.keys(filters).some((name) => !["live", "each", "open"].includes(name));
}

/** Whether a message of several calls, or a script, can be one line of the list. */
export function mayGroup(filters: RunFilters): boolean {
  return ofSingleCalls.every((name) => filters[name] === undefined);
}
