import { HubError } from "../../errors.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import type { AdmitDeps } from "./admit-deps.ts";

type BytesDeps = Pick<AdmitDeps, "recordedBytes">;

/** The disk is its user's: what questions and results store counts with what records store. Throws `rate_limited`. */
export function checkQuestionBytes({ recordedBytes }: BytesDeps, call: PendingCall): void {
  const waitMs = recordedBytes.findWaitMs(call.userId, countBytes(call));
  if (waitMs === 0) return;
  throw new HubError(
    "rate_limited",
    "A person must approve this call, and the calls of this user have stored as much today as they may. Nothing has run. Send less in one call, or wait.",
    { detail: { retry_after_s: Math.ceil(waitMs / 1000) } },
  );
}

export function addQuestionBytes({ recordedBytes }: BytesDeps, call: PendingCall): void {
  recordedBytes.add(call.userId, countBytes(call));
}

function countBytes({ sealed, shown }: PendingCall): number {
  return sealed.length + Buffer.byteLength(JSON.stringify(shown));
}
