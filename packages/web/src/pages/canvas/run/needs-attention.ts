import type { ShownRun } from "./use-shown-run.ts";

/** Whether there is something wrong to look at: the run failed, or waits for a decision. */
export function needsAttention({ run }: Pick<ShownRun, "run">): boolean {
  return run.state === "failed" || Object(run.waiting_for).kind === "person";
}

/** Whether the run goes on after a decision. */
export function waitsForPerson(shown: Pick<ShownRun, "run" | "isGoing">): boolean {
  return shown.isGoing && needsAttention(shown);
}
