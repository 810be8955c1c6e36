import type { PendingCall } from "../../store/pending/pending-call-record.ts";

/** A pending call, as its own client may be told of it. */
export type ClientQuestion = Pick<PendingCall, "id" | "state" | "shown"> & {
  /** Whether the rule lets a form in the client confirm the call. */
  isConfirmedByClient: boolean;
};
