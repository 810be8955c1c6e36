import { HubError } from "../../errors.ts";

/**
 * A trial is a run of what a model wrote and no person has published: it lasts so long at most, waits
 * included, and schedules no runs. So nothing of it runs later without a person.
 */
export const trialMs = 15 * 60 * 1000;

export function createTrialEndError(): HubError {
  return new HubError(
    "timeout",
    "This run tries a draft that a model wrote or started, and ended after 15 minutes, waits included. To let it wait longer, a person publishes the workflow or starts the draft in the browser.",
  );
}

export const trialScheduleWarning =
  "No run was scheduled: this run tries a draft that a model wrote or started. When a person has published the workflow, its runs schedule others.";
