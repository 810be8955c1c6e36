import { launchFailureCode } from "../../../plugins/fence/launch-plan.ts";
import type { ProgramEnd } from "./program-process.ts";

/** Of shells: the command cannot be run, or was not found. */
const notStartedCodes: ReadonlySet<number | null> = new Set([126, 127, launchFailureCode]);

/**
 * Whether a program ended before it could read a request, so that another start with other requests would be in
 * vain: its command was not found, or npm could not install it.
 */
export function isOwnFailure({ code }: ProgramEnd, output: string): boolean {
  return notStartedCodes.has(code) || /^npm (?:error|ERR!)/m.test(output);
}

/** What follows the sentence about a program's end. Its last lines are a member of the error. */
export function describeOutput(output: string): string {
  return output === ""
    ? "It wrote nothing to its standard error."
    : "An admin sees its last lines with this error, and more of them in the hub's log.";
}
