import { toDurationText } from "@hub/connector";
import { type ErrorCode, errorTable, HubError } from "../../errors.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { ComposedAnswer } from "../answers/composed-answer.ts";
import { type PendingDetail, toPendingError } from "./pending-error.ts";
import { pendingLimits } from "./pending-limits.ts";
import { openResult } from "./sealed-request.ts";

/** What a call says of its question, which is open. `isNew`: this call has asked it. */
export function toOpenError(
  call: PendingCall,
  { url, at, isNew }: { url: string | null; at: number; isNew: boolean },
): HubError {
  const isOwn = call.decider.kind === "caller";
  const ago = toAgeText(at - call.createdAt);
  const who = isOwn ? "The user" : "Another person";
  const where = url === null ? "" : ` The page: ${url}`;
  const message =
    call.reason === "account"
      ? `The user must connect an account first. Nothing has run. Ask the user to open the page, then make this call again, or call with pending_id.${where}`
      : `${who} must approve this call on a page of the hub. It was asked ${ago}. Nothing has run. Tell the user, and after the approval make this call again, or call with pending_id.${where}`;
  const code = call.reason === "account" ? "needs_account" : "approval_required";
  const detail = toWaitingDetail(call, url);
  return toPendingError(code, message, isNew ? detail : { ...detail, asked_before: true });
}

export function toRunningError(call: PendingCall, url: string | null): HubError {
  const message =
    "This call was approved and is running. It does not run twice. Make it again later to get its result.";
  return toPendingError("still_running", message, toWaitingDetail(call, url));
}

/** Of a call whose state has just changed: a repeat finds what it is now. */
export function toMovedError(call: PendingCall, why: string): HubError {
  const message = `${why} Nothing has run by this call. Make it again to get the result, or to ask anew.`;
  const detail = { ...toWaitingDetail(call, null), retry_after_s: 1 };
  const code = call.reason === "account" ? "needs_account" : "approval_required";
  return toPendingError(code, message, detail);
}

/** How the client of a call that waits goes on. */
export function toWaitingDetail(call: PendingCall, url: string | null): PendingDetail {
  return {
    pending_id: call.id,
    ...(url !== null && { url }),
    retry_after_s: call.decider.kind === "caller" ? 15 : 60,
    expires_at: new Date(call.expiresAt).toISOString(),
    decider: call.decider.kind === "caller" ? "you" : "others",
    reason: call.reason,
    run_by_repeat: true,
  };
}

/** The comment is for the person who asked: others read it only in the hub. */
export function toDeniedError(call: PendingCall, at: number): HubError {
  const ago = toAgeText(at - (call.decidedAt ?? at));
  const comment =
    call.comment === null || call.comment === "" ? "" : ` The comment: ${call.comment}`;
  return new HubError(
    "refused_by_rule",
    `A person denied this call ${ago}. Nothing has run. Do not make it again unless the user wants it.${comment}`,
    { detail: { pending_id: call.id } },
  );
}

export function toTooManyDenials(last: number, at: number): HubError {
  const waitS = Math.max(1, Math.ceil((last + pendingLimits.denialMs - at) / 1000));
  return new HubError(
    "refused_by_rule",
    `People denied this operation ${pendingLimits.denials} times within an hour, so it is refused until an hour has passed. Nothing has run. Ask the user what to do instead.`,
    { detail: { retry_after_s: waitS } },
  );
}

/** The answer of a call that ran already. Throws its failure, if it failed. */
export function toStoredAnswer(ring: KeyRing, call: PendingCall): ComposedAnswer {
  if (call.result === null) throw new Error("The call has no result");
  const kept = openResult(ring, call.id, call.result);
  if (kept.kind === "failure") {
    throw new HubError(toCode(kept.code), kept.message, {
      detail: { ...kept.detail, pending_id: call.id, was_run: true },
    });
  }
  return new ComposedAnswer({
    text: kept.text,
    summary: { _answered: "The stored result of the call that ran.", run_id: call.runId },
    failure: null,
  });
}

/** A code of a newer server is not known here. */
function toCode(code: string): ErrorCode {
  // Safe: it is a member of the table.
  return Object.hasOwn(errorTable, code) ? (code as ErrorCode) : "internal";
}

function toAgeText(ms: number): string {
  return ms < 60_000 ? "just now" : `${toDurationText(Math.floor(ms / 60_000) * 60_000)} ago`;
}
