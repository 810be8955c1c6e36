import type { Json } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { answerBytesMax } from "../../lib/limits/answer-limits.ts";
import type { Admitted, ToolCall } from "../admission/call.ts";
import type { ComposedAnswer } from "../answers/composed-answer.ts";
import type { ExecuteDeps } from "../calls/execute-deps.ts";
import { shortMs } from "../calls/watch-right.ts";
import type { BatchRequest, CallContext, ExecuteRequest, SealedResult } from "../operations.ts";
import type { Calls } from "../ports.ts";
import { recordCall } from "../records/record-call.ts";
import type { Recording } from "../records/recording.ts";
import { composeAnswer, shareResultBytes } from "./compose-answer.ts";
import { createInnerCalls, type InnerAnswer, limitAtOnce } from "./inner-calls.ts";
import { runCalls } from "./run-calls.ts";

export type BatchDeps = ExecuteDeps & { calls: Pick<Calls, "call"> };

/** The text of a request and its value. Its calls count what they hold themselves. */
const bytesOfChar = 2;

/**
 * Runs the calls of one message: record( begin → calls, each with its own record → compose ). Only operations that
 * read may run.
 */
export function readBatch(
  deps: BatchDeps,
  ctx: CallContext,
  batch: BatchRequest,
): Promise<SealedResult> {
  const description = {
    connectorId: null,
    rowLabel: null,
    operationKey: "hub_read",
    request: describeBatch(batch),
    isRequestPartial: true,
  };
  return recordCall(deps, ctx, description, async (recording, leaveUser) => {
    if (ctx.largeChars) recording.budget().holdBytes(ctx.largeChars * bytesOfChar);
    await recording.begin();
    // Otherwise the calls of a user who may have one at once would be refused because of their own message.
    leaveUser();
    return await answerBatch(deps, ctx, recording, batch);
  });
}

/** The params are in the records of the calls. */
function describeBatch({ calls, ordered, stopOnError }: BatchRequest): Json {
  return {
    calls: calls.length,
    ...(ordered && { ordered }),
    ...(stopOnError && { stop_on_error: stopOnError }),
  };
}

async function answerBatch(
  deps: BatchDeps,
  ctx: CallContext,
  recording: Recording,
  batch: BatchRequest,
): Promise<ComposedAnswer> {
  const { resultBytesMax, userCallsAtOnce, rowCallsAtOnce } = recording.directory.settings;
  const bytesMax = shareResultBytes(Math.min(resultBytesMax, answerBytesMax), batch.calls.length);
  const requests: ExecuteRequest[] = batch.calls.map((call) => ({
    ...call,
    readsOnly: true,
    resultBytesMax: bytesMax,
  }));
  const targets = new Map<ExecuteRequest, Admitted<ToolCall>>();
  const startedAt = performance.now();
  const { signal, close } = openCancellation(deps, ctx, recording);
  try {
    const inner = createInnerCalls(
      { calls: deps.calls, onTarget: (request, target) => targets.set(request, target) },
      { ...ctx, signal },
      { kind: "batch", id: recording.runId },
    );
    const answers = await runCalls(requests, batch, {
      limits: { atOnce: limitAtOnce(userCallsAtOnce), rowAtOnce: rowCallsAtOnce },
      run: (request) => inner.call(request),
      onEnd: (done) => reportDone(ctx, signal, done, requests.length),
    });
    logUnrecorded(deps, recording, answers);
    if (signal.aborted) throw toCancelled(signal.reason);
    const isShort = performance.now() - startedAt < shortMs;
    const lost = isShort ? new Map() : await deps.rights.checkTargets(ctx, targets);
    return composeAnswer(requests, withoutLost(requests, answers, lost), targets, bytesMax);
  } finally {
    close();
  }
}

/** The signal that ends all calls: the client cancels, or an admin does, as with any call that runs. */
function openCancellation(
  { running }: BatchDeps,
  ctx: CallContext,
  { runId }: Recording,
): { signal: AbortSignal; close(): void } {
  const abort = new AbortController();
  const unregister = running.enter(runId, (reason) => abort.abort(reason));
  const onCancel = () => abort.abort(ctx.signal.reason);
  ctx.signal.addEventListener("abort", onCancel, { once: true });
  if (ctx.signal.aborted) onCancel();
  return {
    signal: abort.signal,
    close() {
      unregister();
      ctx.signal.removeEventListener("abort", onCancel);
    },
  };
}

/** The progress of the calls themselves is not passed on: it would not increase. */
function reportDone(
  { onProgress, hasProgressToken }: CallContext,
  signal: AbortSignal,
  done: number,
  total: number,
): void {
  if (hasProgressToken && !signal.aborted) onProgress?.({ done, total });
}

/** A failure inside a call is logged with its record, which leaves out the cause. Others come from the recording. */
function logUnrecorded(
  { logFailure }: BatchDeps,
  { mask }: Recording,
  answers: readonly InnerAnswer[],
): void {
  const errors = answers.flatMap((answer) => (answer.status === "success" ? [] : [answer.error]));
  const first = errors.find(({ cause }) => cause !== undefined);
  if (first === undefined) return;
  const { code, cause } = first;
  logFailure({ code, operation: "hub_read", reason: mask.sealText(String(cause)) });
}

/** Outcomes that their caller may no longer see are replaced by the reason. */
function withoutLost(
  requests: readonly ExecuteRequest[],
  answers: readonly InnerAnswer[],
  lost: ReadonlyMap<ExecuteRequest, HubError>,
): readonly InnerAnswer[] {
  if (lost.size === 0) return answers;
  const errors = requests.map((request) => lost.get(request));
  return answers.map((answer, index) => {
    const error = errors[index];
    return error === undefined ? answer : { status: "denied", error };
  });
}

function toCancelled(reason: unknown): HubError {
  if (reason instanceof HubError) return reason;
  return new HubError("cancelled", "The client cancelled the call.");
}
