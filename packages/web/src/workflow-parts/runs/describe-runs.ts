import type { WorkflowRunState } from "@hub/contract/workflow-run.ts";
import { formatShare } from "../../ui/text/format.ts";
import { runStateNames } from "./run-states.ts";

/** What is counted of a run. */
type Counted = { state: WorkflowRunState };

/** The share of runs that succeeded, of those that succeeded or failed. Null if none did. */
export function findSuccessRate(runs: readonly Counted[]): number | null {
  const succeeded = runs.filter(({ state }) => state === "succeeded").length;
  const failed = runs.filter(({ state }) => state === "failed").length;
  return succeeded + failed === 0 ? null : succeeded / (succeeded + failed);
}

/** The rate as a text. A few failures of many runs are never rounded to all. */
export function describeSuccessRate(runs: readonly Counted[]): string {
  const rate = findSuccessRate(runs);
  return rate === null ? "–" : formatShare(Math.floor(rate * 100) / 100);
}

/** The outcomes of runs in words, such as "18 succeeded, 2 failed". */
export function describeOutcomes(runs: readonly Counted[]): string {
  const counts = Map.groupBy(runs, ({ state }) => state);
  return Object.entries(runStateNames)
    .flatMap(([state, name]) => {
      // Its names are the states.
      const count = counts.get(state as WorkflowRunState)?.length ?? 0;
      return count === 0 ? [] : `${count} ${name.toLowerCase()}`;
    })
    .join(", ");
}
