import type { ErrorCode } from "../../errors.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Timers } from "../time/timers.ts";
import type { Log } from "./create-log.ts";

/** Counts and logs requests that are refused before they can be recorded. */
export type RefusalLog = {
  record(code: ErrorCode): void;
};

const lineEveryMs = 60_000;

/**
 * Refusals increment one counter per code and write at most one log line per minute: they must not
 * fill the disk or hide the rest of the log.
 */
export function createRefusalLog(deps: {
  log: Pick<Log, "warn">;
  timers: Pick<Timers, "now">;
  metrics: Pick<Metrics, "countRefusal">;
}): RefusalLog {
  const lines: Map<ErrorCode, { atMs: number; refusedSince: number }> = new Map();
  return {
    record(code) {
      deps.metrics.countRefusal(code);
      const line = lines.get(code);
      const nowMs = deps.timers.now();
      const refused = (line?.refusedSince ?? 0) + 1;
      if (line !== undefined && nowMs - line.atMs < lineEveryMs) {
        line.refusedSince = refused;
        return;
      }
      lines.set(code, { atMs: nowMs, refusedSince: 0 });
      deps.log.warn({ code, refused }, "Refused requests");
    },
  };
}
