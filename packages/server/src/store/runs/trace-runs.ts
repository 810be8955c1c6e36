import type { EndedQuery, Tracing } from "../../lib/tracing/tracing.ts";
import type { RunRecorder } from "./run-recorder.ts";

const texts = {
  begin: "insert into connector_runs",
  finish: "update connector_runs",
} as const;

/**
 * Records the time in which each audit row is written. Its commit is shared with other calls, so it
 * is recorded for each of them as the call sees it: from the request to the disk.
 */
export function traceRuns(
  runs: RunRecorder,
  tracing: Pick<Tracing, "addQuery" | "isActive">,
  system: EndedQuery["system"],
): RunRecorder {
  const trace = (text: string, write: Promise<void>): Promise<void> =>
    tracing.isActive() ? traceWrite(text, write) : write;

  async function traceWrite(text: string, write: Promise<void>): Promise<void> {
    const startedAt = performance.now();
    let hasFailed = true;
    try {
      await write;
      hasFailed = false;
    } finally {
      tracing.addQuery({ system, text, startedAt, endedAt: performance.now(), hasFailed });
    }
  }
  return {
    begin: (run, use) => trace(texts.begin, runs.begin(run, use)),
    finish: (id, outcome) => trace(texts.finish, runs.finish(id, outcome)),
    insertFinished: (run) => trace(texts.begin, runs.insertFinished(run)),
    drain: () => runs.drain(),
    countWaiting: () => runs.countWaiting(),
  };
}
