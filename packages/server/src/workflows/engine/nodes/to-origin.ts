import type { Caller } from "../../../caller.ts";
import type { CallOrigin } from "../../../operations/operations.ts";
import type { StepContext } from "../step/open-step.ts";

/**
 * The origin of a step's call as the owner. A run that its owner started by hand has the owner's email; others have a trigger,
 * or the workflow that called it, which are no addresses.
 */
export function toOrigin(
  { run }: { run: Pick<StepContext["run"], "startedBy"> },
  { email }: Pick<Caller, "email">,
): CallOrigin {
  return { source: "workflow", ip: null, userAgent: null, isByHand: run.startedBy === email };
}
