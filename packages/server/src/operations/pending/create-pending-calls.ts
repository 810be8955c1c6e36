import { toJsonText } from "@hub/connector";
import { HubError } from "../../errors.ts";
import {
  finishPendingCall,
  loseOutcome,
  returnApproval,
} from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { storeSecrets } from "../../store/settings/store-secrets.ts";
import { isUnsaved, toEffectsWarning } from "../records/store-failures.ts";
import { admitCall, previewCall } from "./admit-call.ts";
import type { AdmitDeps } from "./admit-deps.ts";
import { askForAccount } from "./ask-for-account.ts";
import type { ClaimedEnd, EndedCall, PendingCalls } from "./pending-calls.ts";
import { pendingLimits } from "./pending-limits.ts";
import { findPrincipal, formatPrincipal } from "./principal.ts";
import { type KeptResult, openRequest, sealResult } from "./sealed-request.ts";

/** The calls that wait for a person, of one database. */
export function createPendingCalls(deps: AdmitDeps): PendingCalls {
  return {
    async findRequest(ctx, { pendingId, toolId, readsOnly }) {
      const call = await findPendingCall(deps.db, pendingId);
      const isOwn =
        call !== null &&
        call.userId === ctx.caller.userId &&
        call.principal === formatPrincipal(findPrincipal(ctx));
      const request = isOwn ? openRequest(deps.ring.current(), call.id, call.sealed) : null;
      if (request === null) throw refuseUnknown();
      if (toolId !== undefined && toolId !== request.toolId) throw refuseOther(request.toolId);
      // A tool that reads must not run what was asked for by another one.
      const { digested: _, ...kept } = request;
      return { ...kept, readsOnly: readsOnly === true || request.readsOnly, pendingId };
    },
    admit: (ctx, recording, prepared, sent) => admitCall(deps, ctx, recording, prepared, sent),
    preview: ({ caller }, recording, { target }) =>
      previewCall(deps, { caller, recording, target }),
    askForAccount: (ctx, recording, prepared, sent) =>
      askForAccount(deps, { ctx, recording, prepared, sent }),
    finish: (call, end) => finishCall(deps, call, end),
  };
}

/** A failure to store an outcome is no outcome: the call has run, and what it did is not known. */
async function finishCall(
  deps: AdmitDeps,
  { callId: id, userId, runId }: EndedCall,
  end: ClaimedEnd,
): Promise<void> {
  if (runId === null) return;
  // If this fails too, `markUnknownCalls` does it: the record ends as soon as it can be stored.
  const lose = () => loseOutcome(deps.db, { id, runId }).catch(() => {});
  if ("failure" in end && isUnsaved(end.failure)) return void (await lose());
  // Nothing has run yet: the same call goes on with the answers of its client.
  const isAsked = "failure" in end && end.failure.code === "input_required";
  if (isAsked && (await returnApproval(deps.db, { id, runId }))) return;
  const result = toKeptResult(end);
  const at = deps.now();
  // The call has run: its result is kept also if a day may have less, and counts.
  deps.recordedBytes.add(userId, Buffer.byteLength(toJsonText(result)));
  try {
    await storeSecrets(
      { store: deps, ring: deps.ring },
      (ring) => sealResult(ring, id, result),
      (trx, sealed) => {
        const keepUntil = at + pendingLimits.keptMs;
        return finishPendingCall(trx, { id, runId, result: sealed, at, keepUntil });
      },
    );
  } catch (thrown) {
    await lose();
    throw toEffectsWarning(thrown);
  }
}

function refuseUnknown(): HubError {
  return new HubError(
    "not_found",
    "This client has no such pending call, or it ended long ago. Call again with params.",
  );
}

function refuseOther(toolId: string): HubError {
  return new HubError(
    "invalid_params",
    `The pending call is of ${toolId}. Send its pending_id alone, or call the other operation with params.`,
  );
}

function toKeptResult(end: ClaimedEnd): KeptResult {
  if ("result" in end) return { kind: "result", text: end.result.text };
  const { code, message, detail } = end.failure;
  return { kind: "failure", code, message, detail };
}
