import { InvalidInputError } from "@hub/connector";
import { parseTime } from "./parse-log-time.ts";
import { toRfc3339 } from "./rfc3339.ts";

/** The time from `startNs` (inclusive) to `endNs` (exclusive). */
export type Window = { startNs: bigint; endNs: bigint };

type WindowParams = { start?: string | undefined; end?: string | undefined };

/** Reads both inputs. Their defaults are `defaultHours` before now and now. */
export function readWindow(
  { start, end }: WindowParams,
  { defaultHours }: { defaultHours: number },
): Window {
  const nowNs = BigInt(Date.now()) * 1_000_000n;
  const startNs = parseTime("start", start || `now-${defaultHours}h`, nowNs);
  const endNs = parseTime("end", end || "now", nowNs);
  if (startNs < endNs) return { startNs, endNs };
  const by = start ? "" : ` (its default, ${defaultHours} h ago; give start as well)`;
  throw new InvalidInputError(
    "start",
    `must be before end: start is ${toRfc3339(startNs)}${by}, end is ${toRfc3339(endNs)}`,
  );
}

/** The window in a result, in a form for the next call. */
export function showWindow({ startNs, endNs }: Window): { start: string; end: string } {
  return { start: toRfc3339(startNs), end: toRfc3339(endNs) };
}

/** The window as query parameters of the log store. */
export function toNsQuery({ startNs, endNs }: Window): { start: string; end: string } {
  return { start: startNs.toString(), end: endNs.toString() };
}
