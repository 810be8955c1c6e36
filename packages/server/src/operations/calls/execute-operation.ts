import { recordAccountUse } from "../../connectors/accounts/record-account-use.ts";
import type { Row } from "../../connectors/rows/row-directory.ts";
import { HubError } from "../../errors.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { type CallPath, toWorld } from "../admission/call.ts";
import { ComposedAnswer } from "../answers/composed-answer.ts";
import { resolveTool } from "../catalogue/resolve-tool.ts";
import { toDetail } from "../catalogue/tool-catalogue.ts";
import { toToolId } from "../catalogue/tool-id.ts";
import type { SentParams } from "../guesses/count-guesses.ts";
import type { GuessLimiter } from "../guesses/limit-guesses.ts";
import { findRowSecrets } from "../masking/mask-row.ts";
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
import type { PendingCalls } from "../pending/pending-calls.ts";
import { takeFields } from "../questions/widget-call.ts";
import { describeUnknown } from "../records/describe-request.ts";
import { openRecording } from "../records/open-recording.ts";
import { type RecordDeps, recordCall } from "../records/record-call.ts";
import type { Recording, RunClaim } from "../records/recording.ts";
import { completeFailure, type ShownSchemas } from "./complete-failure.ts";
import {
  type CallValues,
  type OpenedCall,
  openCall,
  type PrepareDeps,
  type PreparedCall,
  prepareCall,
} from "./prepare-call.ts";
import { type RunDeps, runInConnector } from "./run-in-connector.ts";
import type { RightWatch, WatchedCall } from "./watch-right.ts";

export type ExecuteDeps = RecordDeps &
  RunDeps &
  PrepareDeps & {
    rights: RightWatch;
    guessLimiter: GuessLimiter;
    schemas: ShownSchemas;
    pending: PendingCalls;
  };

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

/** The request that a repeat names by its pending call. One that names none is recorded like any refused call. */
async function findPendingRequest(
  deps: ExecuteDeps,
  ctx: CallContext,
  repeat: ExecuteRequest & { pendingId: string },
  path: CallPath,
): Promise<ExecuteRequest> {
  const { toolId, named, readsOnly, pendingId } = repeat;
  try {
    const isNamed = toolId !== "" || named !== undefined;
    const beside = isNamed ? await findNamedTool(deps, ctx, repeat, path) : undefined;
    return await deps.pending.findRequest(ctx, { pendingId, readsOnly, toolId: beside });
  } catch (thrown) {
    await recordCall(deps, ctx, describeUnknown({ toolId, named, readsOnly }), async () => {
      throw thrown;
    });
    throw thrown;
  }
}

/** The whole id of what a caller names; null if it is no operation that the caller sees. */
async function findNamedTool(
  deps: ExecuteDeps,
  { caller, hubs }: CallContext,
  { readsOnly, ...name }: ExecuteRequest,
  path: CallPath,
): Promise<string | null> {
  const directory = await deps.directory.current(caller.seen);
  const places = { ...toWorld(deps, directory), registry: deps.registry, directory };
  const { row, operation } = resolveTool(places, { path, caller, hubs, readsOnly }, name);
  return row && operation ? toToolId(row.id, operation.key) : null;
}

/** The values of the call, after the row is known to be ready, and what a person has decided on it. */
async function openValues(
  deps: ExecuteDeps,
  ctx: CallContext,
  recording: Recording,
  prepared: PreparedCall,
  sent: ExecuteRequest,
): Promise<{ values: CallValues; claim: RunClaim | null; answer: ComposedAnswer | null }> {
  const opening =
    prepared.needsAccount === null
      ? openCall(deps, ctx, recording, prepared)
      : openOrAsk(deps, ctx, recording, prepared, sent);
  const { values, guesses } = await opening;
  // Before the limits, which a call that a person is asked about does not use.
  const judged = deps.pending.admit(ctx, recording, prepared, sent);
  const admission = judged instanceof Promise ? await judged : judged;
  const claim = admission !== null && "claim" in admission ? admission.claim : null;
  const answer = admission !== null && "answer" in admission ? admission.answer : null;
  if (answer !== null) return { values, claim, answer };
  if (claim !== null) recording.useClaim(claim);
  const { row, operation } = prepared.target;
  // Only now, because no message of a call that is refused before confirms a guess.
  limitGuesses(deps, ctx, recording, row, { operation: operation.key, params: guesses });
  if (row.account !== undefined) await recordAccountUse(deps, row);
  if (ctx.largeChars) await yieldToEventLoop();
  return { values, claim, answer };
}

/** Opens the call. If only an account is missing, its user is asked for it. */
async function openOrAsk(
  deps: ExecuteDeps,
  ctx: CallContext,
  recording: Recording,
  prepared: PreparedCall,
  sent: ExecuteRequest,
): Promise<OpenedCall> {
  try {
    return await openCall(deps, ctx, recording, prepared);
  } catch (thrown) {
    if (prepared.needsAccount === null || thrown !== prepared.needsAccount) throw thrown;
    return await deps.pending.askForAccount(ctx, recording, prepared, sent);
  }
}

/** Refuses a call that guesses more than its user may: see `guesses/limit-guesses.ts`. */
export function limitGuesses(
  { guessLimiter }: ExecuteDeps,
  { caller }: CallContext,
  recording: Recording,
  row: Row,
  sent: SentParams,
): void {
  // Most rows end here, before their configuration is read again.
  const secrets = recording.leavesTextsOut() ? findRowSecrets(row) : null;
  if (secrets === null) return;
  const admitted = guessLimiter.admit({ userId: caller.userId, row, secrets }, sent);
  if (admitted !== null) recording.require(admitted);
}
