import { HubError } from "../../errors.ts";
import type { PendingReason } from "../../store/database/tables/pending-tables.ts";

/** The detail of `approval_required`, `needs_account` and `still_running`: how a client goes on. */
export type PendingDetail = {
  pending_id: string;
  /** The page on which the person decides or connects. Absent if no server runs. */
  url?: string;
  retry_after_s: number;
  expires_at: string;
  decider: "you" | "others";
  reason: PendingReason;
  /** Nothing has run. It runs when the same call is made again, or one with `pending_id`, once it may. */
  run_by_repeat: boolean;
  /** The question was there before this call: its client has been told of it. */
  asked_before?: true;
};

type PendingCode = "approval_required" | "needs_account" | "still_running";

export function toPendingError(
  code: PendingCode,
  message: string,
  detail: PendingDetail,
): HubError {
  return new HubError(code, message, { detail: { ...detail } });
}

/** The detail of an error of a pending call; null for other errors. */
export function readPendingDetail({ code, detail }: HubError): PendingDetail | null {
  if (code !== "approval_required" && code !== "needs_account" && code !== "still_running") {
    return null;
  }
  // Safe: only `toPendingError` makes errors with these codes and a pending id.
  return typeof detail.pending_id === "string" ? (detail as PendingDetail) : null;
}
