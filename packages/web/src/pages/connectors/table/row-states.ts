import type { RowStateName } from "@hub/contract/row-state.ts";

/** All states, with what needs a person first. */
export const rowStates: readonly RowStateName[] = [
  "refused",
  "unreachable",
  "failing",
  "needs_setup",
  "needs_review",
  "disabled",
  "unused",
  "ready",
];

/** The state of an address. `setup` is what links of earlier versions have. */
export function readState(value: unknown): RowStateName | undefined {
  return value === "setup" ? "needs_setup" : rowStates.find((one) => one === value);
}
