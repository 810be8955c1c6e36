import { type Json, OutboundError, toJsonText } from "@hub/connector";
import type { RowDirectory } from "../connectors/row-directory.ts";
import { type ErrorCode, errorTable, HubError, toHubError } from "../errors.ts";
import { answerBytesMax } from "../lib/answer-limits.ts";
import { cutJson } from "../lib/cut-json.ts";
import type { HidePaths } from "../lib/hide-paths.ts";
import { type FieldPaths, pickResult } from "../lib/pick-fields.ts";
import { writeJson } from "../lib/write-json.ts";
import { yieldToEventLoop } from "../lib/yield-to-event-loop.ts";
import { TooManySecretsError } from "../secrets/limit-seals.ts";
import type { Mask } from "../secrets/mask.ts";
import type { ReadAnswer } from "./answers/answer-job.ts";
import { LargeAnswer, sealLargeAnswer, toLazyResult } from "./answers/large-answers.ts";
import type { WorkerQueue } from "./answers/worker-queue.ts";
import { type CallLimiter, toUserLimit } from "./call-limits.ts";
import { cutSealedText } from "./cut-sealed-text.ts";
import { describeFailedCall } from "./describe-cause.ts";
import {
  auditBytesMax,
  type CallDescription,
  openRecording,
  type Recording,
  type RecordingDeps,
  toAuditText,
} from "./open-recording.ts";
import type { CallContext, SealedResult } from "./operations.ts";
import { sealBeginning, sealTextBeginning } from "./seal-beginning.ts";

const messageBytesMax = 4 * 1024;

export type RecordDeps = RecordingDeps & {
  directory: RowDirectory;
  userLimiter: CallLimiter;
  /**
   * Logs a sealed failure: `err` is an error of the hub or a connector's code, `reason` the message
   * of an outside failure.
   */
  logFailure(failure: { code: ErrorCode; operation: string; err?: Json; reason?: string }): void;
  answerWorker: WorkerQueue;
  /** A plugin's messages may contain file paths of the hub's machine. */
  hidePaths: HidePaths;
};

/** What of a result is returned. */
export type Presentation = {
  /** Only these parts, picked before the result is sealed and cut. */
  fields?: FieldPaths | undefined;
  /** The result is not cut. It must not come from outside. */
  isWhole?: boolean;
};

/**
 * Runs a call and records it in exactly one audit row, whatever its outcome. Results and failures
 * leave only in sealed form. The outcome is stored before this resolves.
 */
export async function recordCall(
  deps: RecordDeps,
  ctx: CallContext,
  description: CallDescription,
  answer: (recording: Recording) => Promise<Json | LargeAnswer>,
  presentation: Presentation = {},
): Promise<SealedResult> {
  // This must come first, because it also loads a rotated key ring.
  const directory = await deps.directory.current().catch(refuseCall);
  const recording = openRecording(deps, ctx, description, directory);
  let release = () => {};
  let sealed: SealedResult;
  let response: string;
  try {
    release = deps.userLimiter.enter(ctx.caller.userId, toUserLimit(directory.settings));
    const value = await answer(recording);
    const isLarge = value instanceof LargeAnswer && !recording.callMask.hasTooManySecrets();
    const small = isLarge ? null : sealSmall(recording, value, presentation);
    if (small === null) {
      const read = await sealLarge(deps, ctx, recording, value, presentation);
      sealed = toLazyResult(read, recording.runId);
      response = read.auditText;
    } else {
      sealed = small;
      response = toAuditText(small.value, small.text);
    }
  } catch (thrown) {
    throw await recordFailure(deps, recording, toCallFailure(thrown));
  } finally {
    recording.memory.release();
    release();
  }
  await recording.close({ status: "success", errorCode: null, errorMsg: null, response });
  return sealed;
}

/** Clients get a general error, because the message may contain the path of a lost key file. */
function refuseCall(thrown: unknown): never {
  const isSafeForClients = thrown instanceof HubError && thrown.code !== "bad_configuration";
  throw isSafeForClients
    ? thrown
    : toHubError(new Error("The rows cannot be read", { cause: thrown }));
}

/** Clients cannot fix the hub's configuration, so they see an internal error. */
function toCallFailure(thrown: unknown): HubError {
  const failure = toHubError(thrown);
  if (failure.code !== "bad_configuration") return failure;
  return new HubError("internal", failure.message, { cause: failure });
}

/**
 * Seals a result. Returns null if it contains so many secrets that sealing would block the event
 * loop.
 */
function sealSmall(
  recording: Recording,
  value: Json,
  presentation: Presentation,
): SealedResult | null {
  try {
    return sealResult(recording, value, presentation);
  } catch (thrown) {
    if (thrown instanceof TooManySecretsError) return null;
    throw thrown;
  }
}

async function sealLarge(
  { answerWorker, isMaskingEnabled }: RecordDeps,
  { caller }: CallContext,
  { mask, callMask, directory }: Recording,
  value: Json | LargeAnswer,
  { fields }: Presentation,
): Promise<ReadAnswer> {
  const answer =
    value instanceof LargeAnswer
      ? value
      : new LargeAnswer(await writeJson({ yieldToEventLoop }, value));
  const resultBytesMax = Math.min(directory.settings.resultBytesMax, answerBytesMax);
  const { userId } = caller;
  const limits = { resultBytesMax, auditBytesMax };
  const request = { userId, mask, isMaskingEnabled, ...limits, ...(fields && { fields }) };
  const { text, auditText } = await sealLargeAnswer(answerWorker, request, answer);
  return { text: callMask.clean(text), auditText: callMask.clean(auditText) };
}

function sealResult(
  { mask, directory, runId }: Recording,
  value: Json,
  { fields, isWhole = false }: Presentation,
): SealedResult {
  const { resultBytesMax } = directory.settings;
  const sealed = mask.sealJson(fields === undefined ? value : pickResult(value, fields));
  const text = toJsonText(sealed);
  if (isWhole) return { value: sealed, text, runId };
  if (Buffer.byteLength(text) <= resultBytesMax) return { value: sealed, text, runId };
  const cut = cutJson(sealed, resultBytesMax, cutSealedText);
  return { value: cut, text: toJsonText(cut), runId };
}

/** Records and logs a failure. Returns its sealed form. */
async function recordFailure(
  deps: RecordDeps,
  recording: Recording,
  failure: HubError,
): Promise<HubError> {
  const { code, cause, detail } = failure;
  // The message quotes a host, which can be part of an encrypted address.
  const textMask = cause instanceof OutboundError ? recording.createPartsMask() : recording.mask;
  const described = describeFailedCall(textMask, failure);
  if (described !== null) {
    deps.logFailure({ code, operation: recording.known.operationKey, ...described });
  }
  if (typeof detail.http_status === "number") recording.noteHttpStatus(detail.http_status);
  const sealed = sealFailure(deps, recording.mask, textMask, failure);
  await recording.close({
    status: errorTable[code].runStatus,
    errorCode: code,
    errorMsg: sealed.message,
    response: null,
  });
  return sealed;
}

function sealFailure(
  { hidePaths }: RecordDeps,
  mask: Mask,
  textMask: Pick<Mask, "sealText" | "cutText">,
  failure: HubError,
): HubError {
  const detail = sealDetail(mask, failure.detail);
  const message = hidePaths(sealTextBeginning(textMask, failure.message, messageBytesMax));
  return new HubError(failure.code, message, { detail });
}

/** If a failure's details cannot be written as JSON, the failure is reported without them. */
function sealDetail(mask: Mask, detail: Record<string, unknown>): Record<string, unknown> {
  try {
    // Safe: the detail is a record of JSON values, and sealing and cutting keep it one.
    return sealBeginning(mask, detail, auditBytesMax) as Record<string, unknown>;
  } catch {
    const { http_status: status } = detail;
    return typeof status === "number" ? { http_status: status } : {};
  }
}
