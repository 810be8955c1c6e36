import { launchFailureCode } from "./launch-plan.ts";

/** What follows an exit code in a sentence. A program may end with the launcher's code itself. */
export function describeLaunchFailure(code: number | null): string {
  return code === launchFailureCode ? ", which is the hub's if it could not start it" : "";
}
