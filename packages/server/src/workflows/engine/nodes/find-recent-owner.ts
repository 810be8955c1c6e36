import type { Caller } from "../../../caller.ts";
import type { StepContext } from "../step/open-step.ts";

/** As old as the hub's other checks of a call may be. */
const recentMs = 1_000;

/**
 * Finds the owner of a run for several checks of one step. A step can wait for a permit, and its tries
 * can be hours apart, so an owner who was found earlier is read again.
 */
export function createOwnerFinder({ findOwner, now }: Pick<StepContext, "findOwner" | "now">) {
  let found: { caller: Caller; at: number } | null = null;
  return async (): Promise<Caller> => {
    const at = now();
    if (found === null || at - found.at >= recentMs) found = { caller: await findOwner(), at };
    return found.caller;
  };
}
