import { HubError } from "../../errors.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { endPendingCall } from "../../store/pending/pending-call-states.ts";
import type { AdmitDeps } from "./admit-deps.ts";
import { answerBy, type Present } from "./answer-by.ts";
import { toMovedError } from "./answer-repeat.ts";
import type { Admission } from "./pending-calls.ts";

type Unasked = {
  /** The equal calls that were asked about, newest first. */
  calls: readonly PendingCall[];
  present: Present;
  /** The pending call that is repeated, if the caller names one. */
  pendingId: string | undefined;
  /** See `ExecuteRequest`. */
  onlyApproved: boolean | undefined;
};

/**
 * A call of which no person is asked now, because of a permission, of a free call, or because no rule asks any more. What was
 * asked about an equal call before does not run beside it: an approval is used by this call, a running one is waited for, and a
 * question ends. A repeat that names a pending call gets its result.
 */
export async function admitUnasked(
  deps: AdmitDeps,
  { calls, present, pendingId, onlyApproved }: Unasked,
): Promise<Admission> {
  const at = deps.now();
  for (const call of calls) {
    if (call.state === "open") {
      const end = { id: call.id, state: "ended", reason: "it needs no approval any more" } as const;
      // Decided meanwhile: the repeat finds the decision.
      if (!(await endPendingCall(deps.db, { ...end, at }))) {
        throw toMovedError(call, "A person has just decided on this call.");
      }
      continue;
    }
    const isNamed = call.id === pendingId;
    if (!isNamed && call.state !== "approved" && call.state !== "running") continue;
    const answer = await answerBy(deps, call, { ...present, pendingId, at });
    if (answer === "unknown") throw refuseUnknownOutcome(call);
    if (answer !== "nothing") return answer;
  }
  if (onlyApproved) throw refuseUnapproved();
  return null;
}

/** Of a call that the hub makes itself because it was approved. */
export function refuseUnapproved(): HubError {
  return new HubError(
    "approval_required",
    "The approval of this call does not hold any more. Nothing has run.",
  );
}

function refuseUnknownOutcome({ endedReason }: PendingCall): HubError {
  return new HubError(
    "conflict",
    `This call has run, and ${endedReason}: whether it took effect is not known, and it is not run again. Check its effect, and call with params if it is to run.`,
  );
}
