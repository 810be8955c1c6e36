import type { SystemCalls } from "./system-calls.ts";
import { checkCall } from "./system-calls.ts";

const noNewPrivileges = 38;

/** From now on, set-user-id programs such as `sudo` give this thread no rights. Throws if it is refused. */
export function preventPrivileges(calls: Pick<SystemCalls, "prctl">): void {
  checkCall("prctl", calls.prctl(noNewPrivileges, 1));
}
