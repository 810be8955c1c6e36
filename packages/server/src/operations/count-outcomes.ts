import type { Tallies } from "../lib/tallies.ts";
import type { RunOutcome, RunRecorder } from "../store/run-recorder.ts";

type CountDeps = { runs: RunRecorder; tallies: Pick<Tallies, "add"> };

/** The recorder, with the outcome of every call counted as it is written. */
export function countOutcomes({ runs, tallies }: CountDeps): RunRecorder {
  const count = ({ status, errorCode, latencyMs }: RunOutcome) => {
    tallies.add("hub_calls_total", [status, errorCode ?? ""]);
    tallies.add("hub_call_seconds_total", [status], latencyMs / 1000);
  };
  return {
    ...runs,
    finish(id, outcome) {
      count(outcome);
      return runs.finish(id, outcome);
    },
    insertFinished(run) {
      count(run);
      return runs.insertFinished(run);
    },
  };
}
