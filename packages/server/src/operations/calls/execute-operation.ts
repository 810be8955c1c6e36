import { HubError } from "../../errors.ts";
import type { CallPath } from "../admission/call.ts";
import { ComposedAnswer } from "../answers/composed-answer.ts";
import { toDetail } from "../catalogue/tool-catalogue.ts";
import { sealCallFailure, toCallFailure } from "../masking/seal-failure.ts";
import {
  type CallContext,
  type CheckContext,
  type CheckedCall,
  type CheckedRequest,
  type ExecuteRequest,
  findWorkflowCause,
  type SealedResult,
} from "../operations.ts";
import { takeFields } from "../questions/widget-call.ts";
import { describeUnknown } from "../records/describe-request.ts";
import { openRecording } from "../records/open-recording.ts";
import { recordCall } from "../records/record-call.ts";
import type { Recording, RunClaim } from "../records/recording.ts";
import { completeFailure } from "./complete-failure.ts";
import type { ExecuteDeps } from "./execute-deps.ts";
import { findPendingRequest } from "./find-pending-request.ts";
import { openValues } from "./open-values.ts";
import { openCall, type PreparedCall, prepareCall } from "./prepare-call.ts";
import { runInConnector } from "./run-in-connector.ts";
import type { WatchedCall } from "./watch-right.ts";

const timeoutMsDefault = 180_000;

/**
 * Runs one operation: record( prepare → open → invoke ) → seal. This is the only path to a
 * connector's operations, for all callers and transports.
 */
export async function executeOperation(
  deps: ExecuteDeps,
  ctx: CallContext,
  given: ExecuteRequest,
  path: CallPath,
): Promise<SealedResult> {
  // Only tests have widgets, so a client's call cannot contain one.
  const { pendingId, onlyApproved } = given;
  const request =
    pendingId === undefined
      ? given
      : await findPendingRequest(deps, ctx, { ...given, pendingId }, path);
  const { toolId, named, params, account, fields, readsOnly, resultBytesMax: bytesMax } = request;
  const sent: ExecuteRequest =
    path === "client"
      ? { toolId, named, params, pendingId, onlyApproved, account, fields, readsOnly }
      : { ...request, pendingId };
  const workflow = findWorkflowCause(ctx);
  let watched: WatchedCall | null = null;
  let known: Recording["known"] | null = null;
  let target: PreparedCall["target"] | null = null;
  let claim: RunClaim | null = null;
  let isFinished = false;
  const run = async (recording: Recording, leaveUser: () => void) => {
    let prepared: PreparedCall;
    try {
      const isStored = workflow !== null;
      prepared = await prepareCall(deps, ctx, recording, sent, { path, isStored });
      target = prepared.target;
    } finally {
      known = recording.known;
    }
    const { row, connector, operation } = prepared.target;
    ctx.onTarget?.(prepared.target);
    watched = deps.rights.begin(ctx, recording.runId, prepared.target);
    const answer = await runInConnector(
      deps,
      { ctx: watched === null ? ctx : deps.rights.toContext(watched), recording, row, connector },
      {
        name: "operation",
        timeoutMs: operation.timeoutMs ?? timeoutMsDefault,
        leaveUser: connector.scriptOperations?.has(operation.key) ? leaveUser : undefined,
        prepare: async () => {
          const opened = await openValues(deps, ctx, recording, prepared, sent);
          claim = opened.claim;
          return opened;
        },
        findAnswer: (opened) => opened.answer,
        run: (call, { values }) =>
          connector.invoke({
            ...call,
            operation: operation.key,
            ...(operation.fromRow && { rowOperation: operation.fromRow.readRowOperation() }),
            ...(operation.fromRow && row.account && { approved: operation }),
            ...(workflow && { idempotencyKey: workflow.idempotencyKey }),
            ...values,
          }),
      },
    );
    if (path !== "client" && !(answer instanceof ComposedAnswer)) {
      takeFields(prepared.target, recording.mask, answer, sent.widget);
    }
    return answer;
  };
  const presentation = { fields, bytesMax };
  try {
    const result = await recordCall(deps, ctx, describeUnknown(sent), run, presentation);
    isFinished = true;
    if (claim !== null) await deps.pending.finish(claim, { result });
    return result;
  } catch (thrown) {
    let failure = thrown;
    if (claim !== null && !isFinished && thrown instanceof HubError) {
      await deps.pending.finish(claim, { failure: thrown }).catch((err) => {
        failure = err;
      });
    }
    // After the record, which does not grow by it, and after the mask: it is what `hub_get` says, whatever the params are.
    throw completeFailure(failure, { sent, known, target, ctx, schemas: deps.schemas });
  } finally {
    // After the record: what was done is recorded, also if its caller may no longer know of it.
    const ending = watched === null ? null : deps.rights.end(watched);
    if (ending !== null) await ending;
  }
}

/**
 * Prepares and opens a call as `executeOperation` does, and neither runs nor records it. Throws the
 * sealed errors that the call would get, without those of limits.
 */
export async function checkOperation(
  deps: ExecuteDeps,
  ctx: CheckContext,
  { toolId, params }: CheckedRequest,
): Promise<CheckedCall> {
  const directory = await deps.directory.current(ctx.caller.seen);
  const recording = openRecording(deps, ctx, describeUnknown({ toolId }), directory);
  try {
    const prepared = await prepareCall(
      deps,
      ctx,
      recording,
      { toolId, params },
      { path: "client", isStored: true },
    );
    await openCall(deps, ctx, recording, prepared);
    const asks = deps.pending.preview(ctx, recording, prepared);
    return { tool: toDetail(prepared.target), asks };
  } catch (thrown) {
    const { code, message, detail } = sealCallFailure(deps, recording, toCallFailure(thrown));
    throw new HubError(code, message, { detail, cause: thrown });
  } finally {
    recording.release();
  }
}
