import { HubError } from "../../../errors.ts";
import type { ClaimedRun } from "../../../store/workflow-runs/workflow-run-records.ts";
import { readRunContext } from "../accept/run-context.ts";

/**
 * A trial is a run of what a model wrote and no person has published, with the runs of other workflows that it
 * starts: it lasts so long at most, waits included. It schedules no runs and starts no error workflows. So
 * nothing of it runs later without a person.
 */
export const trialMs = 15 * 60 * 1000;

/** When the trial ends that a run belongs to, in epoch ms. Absent if it belongs to none. */
export function readTrialEnd({ context }: Pick<ClaimedRun, "context">): number | undefined {
  return readRunContext(context).endsAt;
}

export function createTrialEndError(): HubError {
  return new HubError(
    "timeout",
    "This run belongs to the trial of a draft that a model wrote or started, which ended after 15 minutes, waits included. To let it wait longer, a person publishes the workflow or starts the draft in the browser.",
  );
}

export const trialScheduleWarning =
  "No run was scheduled: this run belongs to the trial of a draft that a model wrote or started. Other runs of a published workflow schedule runs.";
