import { HubError } from "../../../errors.ts";

/** The error for a run that the queue policy of its workflow dropped. The run is recorded. */
export function refuseBusy(runId: string): HubError {
  return new HubError(
    "rate_limited",
    "The workflow cannot take another run now: it runs already, or too many runs wait. Try again later.",
    { detail: { retry_after_s: 5, run_id: runId } },
  );
}
