import type { Json } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { findHubTimezone } from "./hub-timezone.ts";
import { parseIsoTime } from "./parse-iso-time.ts";

/** A run is scheduled at least this far ahead. */
export const scheduleAheadMsMin = 1_000;
/** How many scheduled runs may lead to one another. */
export const chainDepthMax = 100;

/**
 * The time that an output names as its member `schedule_at`. Null if it names none; a warning if the
 * time cannot be used. A time without an offset is of `timezone`, by default the
 * hub's.
 */
export function findScheduleTime(
  output: Json,
  {
    now,
    chainDepth,
    timezone = findHubTimezone(),
  }: { now: number; chainDepth: number; timezone?: string | undefined },
): { at: number } | { warning: string } | null {
  if (typeof output !== "object" || output === null || Array.isArray(output)) return null;
  if (!Object.hasOwn(output, "schedule_at")) return null;
  // Safe: it is an own member of an object.
  const { schedule_at: value } = output as { schedule_at: unknown };
  if (value === null || value === undefined || value === "") return null;
  try {
    const at = parseIsoTime(value, "`schedule_at`", timezone);
    if (at < now + scheduleAheadMsMin) {
      return { warning: "No run was scheduled: `schedule_at` is not at least one second ahead." };
    }
    if (chainDepth >= chainDepthMax) {
      return {
        warning: `No run was scheduled: ${chainDepthMax} scheduled runs have led to this one, which is the maximum.`,
      };
    }
    return { at };
  } catch (thrown) {
    if (thrown instanceof HubError) return { warning: `No run was scheduled: ${thrown.message}` };
    throw thrown;
  }
}
