import type { ErrorCode } from "../errors.ts";
import type { Log } from "./create-log.ts";
import type { Timers } from "./timers.ts";

/** Counts what is turned away before it can be recorded. */
export type RefusalLog = {
  note(code: ErrorCode): void;
  /** How many of each code there were since the start. */
  counts(): ReadonlyMap<ErrorCode, number>;
};

const lineEveryMs = 60_000;

/**
 * What strangers send costs one counter per code and at most one log line a minute: noise must not
 * fill the disk, nor hide the rest of the log.
 */
export function createRefusalLog(deps: {
  log: Pick<Log, "warn">;
  timers: Pick<Timers, "now">;
}): RefusalLog {
  const counts: Map<ErrorCode, number> = new Map();
  const lines: Map<ErrorCode, { atMs: number; count: number }> = new Map();
  return {
    note(code) {
      const count = (counts.get(code) ?? 0) + 1;
      counts.set(code, count);
      const line = lines.get(code);
      const nowMs = deps.timers.now();
      if (line !== undefined && nowMs - line.atMs < lineEveryMs) return;
      lines.set(code, { atMs: nowMs, count });
      deps.log.warn({ code, refused: count - (line?.count ?? 0) }, "Refused requests");
    },
    counts: () => counts,
  };
}
