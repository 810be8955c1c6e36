import type { HubError } from "../../errors.ts";
import type { ListedCall, World } from "./call.ts";

/**
 * What a gate says of a call. A hidden target gets the same answer as a missing one, so that callers
 * cannot probe for rows. A call that waits may pass later.
 */
export type Verdict =
  | { kind: "pass" }
  | { kind: "hide" }
  | { kind: "refuse"; error: HubError }
  | { kind: "wait"; reason: string };

/** One condition on calls. It reads what it gets, and changes nothing. */
export type Gate<Call extends ListedCall = ListedCall> = (world: World, call: Call) => Verdict;

export const pass: Verdict = { kind: "pass" };

export const hide: Verdict = { kind: "hide" };

export function refuse(error: HubError): Verdict {
  return { kind: "refuse", error };
}
