import type { Account } from "./launch-plan.ts";
import type { SystemCalls } from "./system-calls.ts";
import { checkCall } from "./system-calls.ts";

/** System calls, because the functions of the C library would change all threads of Bun. */
const numbers =
  process.arch === "arm64"
    ? { setGroups: 159, setGroupIds: 149, setUserIds: 147 }
    : { setGroups: 116, setGroupIds: 119, setUserIds: 117 };

/**
 * Makes this thread, and the program that it becomes, another user's, without supplementary groups. There is no way
 * back. Throws if the system refuses it.
 */
export function changeUser(calls: Pick<SystemCalls, "call">, { uid, gid }: Account): void {
  checkCall("setgroups", calls.call(numbers.setGroups, 0, 0));
  checkCall("setresgid", calls.call(numbers.setGroupIds, gid, gid, gid));
  checkCall("setresuid", calls.call(numbers.setUserIds, uid, uid, uid));
}
