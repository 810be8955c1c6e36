import type { PendingCallState } from "@hub/contract/pending-call.ts";
import { StateBadge, type StateTone } from "../../../ui/badges/state-badge.tsx";

/** The states of calls in words. */
export const callStateNames: Readonly<Record<PendingCallState, string>> = {
  open: "Waiting",
  approved: "Approved",
  running: "Running",
  done: "Has run",
  unknown: "Outcome unknown",
  denied: "Denied",
  expired: "Expired",
  changed: "Asked anew",
  ended: "Ended",
};

export const callTones: Readonly<Record<PendingCallState, StateTone>> = {
  open: "warn",
  approved: "good",
  running: "good",
  done: "good",
  unknown: "warn",
  denied: "bad",
  expired: "off",
  changed: "off",
  ended: "off",
};

/** The state of a call, by colour and by word. */
export function CallState({ state }: { state: PendingCallState }) {
  return <StateBadge tone={callTones[state]} text={callStateNames[state]} />;
}
