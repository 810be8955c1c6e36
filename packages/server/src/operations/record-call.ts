import { type Json, OutboundError, toJsonText } from "@hub/connector";
import type { RowDirectory } from "../connectors/row-directory.ts";
import { type ErrorCode, errorTable, HubError, toHubError } from "../errors.ts";
import { answerBytesMax } from "../lib/answer-limits.ts";
import { breathe } from "../lib/breathe.ts";
import { cutJson } from "../lib/cut-json.ts";
import type { HidePaths } from "../lib/hide-paths.ts";
import { writeJson } from "../lib/write-json.ts";
import { TooManySecretsError } from "../secrets/limit-seals.ts";
import type { Mask } from "../secrets/mask.ts";
import type { ReadAnswer } from "./answers/answer-job.ts";
import { LargeAnswer, sealLargeAnswer, toLazyResult } from "./answers/large-answers.ts";
import type { WorkerDesk } from "./answers/worker-desk.ts";
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
  /** Logs a failure: `err` of the hub or a connector's code, `reason` of the outside. All of it is sealed. */
  logFailure(failure: { code: ErrorCode; operation: string; err?: Json; reason?: string }): void;
  answerWorker: WorkerDesk;
  /** Failures may be told in a plugin's words, which may name files of the hub's machine. */
  hidePaths: HidePaths;
};

/**
 * Wraps a call so that exactly one audit row tells of it, whatever becomes of it, and that nothing
 * leaves unsealed: neither its result nor its failure. The outcome is on disk before this resolves.
 */
export async function recordCall(
  deps: RecordDeps,
  ctx: CallContext,
  description: CallDescription,
  answer: (recording: Recording) => Promise<Json | LargeAnswer>,
): Promise<SealedResult> {
  // First of all: a key ring that was rotated meanwhile comes with it.
  const directory = await deps.directory.current().catch(refuseCall);
  const recording = openRecording(deps, ctx, description, directory);
  let leave = () => {};
  let sealed: SealedResult;
  let response: string;
  try {
    leave = deps.userLimiter.enter(ctx.caller.userId, toUserLimit(directory.settings));
    const value = await answer(recording);
    const isLarge = value instanceof LargeAnswer && !recording.callMask.isOverfull();
    const small = isLarge ? null : sealSmall(recording, value);
    if (small === null) {
      const read = await sealLarge(deps, ctx, recording, value);
      sealed = toLazyResult(read, recording.runId);
      response = read.auditText;
    } else {
      sealed = small;
      response = toAuditText(small.value, small.text);
    }
  } catch (thrown) {
    throw await recordFailure(deps, recording, toCallFailure(thrown));
  } finally {
    recording.space.release();
    leave();
  }
  await recording.close({ status: "success", errorCode: null, errorMsg: null, response });
  return sealed;
}

/** Nothing of it is known to be fit for clients: a lost key file's path, for one. */
function refuseCall(thrown: unknown): never {
  const isFitToTell = thrown instanceof HubError && thrown.code !== "bad_configuration";
  throw isFitToTell ? thrown : toHubError(new Error("The rows cannot be read", { cause: thrown }));
}

/** Clients know no fault of the hub's configuration: to them it is internal. */
function toCallFailure(thrown: unknown): HubError {
  const failure = toHubError(thrown);
  if (failure.code !== "bad_configuration") return failure;
  return new HubError("internal", failure.message, { cause: failure });
}

/** Seals a result; null where it shows secrets in so many ways that others would have to wait. */
function sealSmall(recording: Recording, value: Json): SealedResult | null {
  try {
    return sealResult(recording, value);
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
): Promise<ReadAnswer> {
  const answer =
    value instanceof LargeAnswer ? value : new LargeAnswer(await writeJson({ breathe }, value));
  const resultBytesMax = Math.min(directory.settings.resultBytesMax, answerBytesMax);
  const { userId } = caller;
  const request = { userId, mask, isMaskingEnabled, resultBytesMax, auditBytesMax };
  const { text, auditText } = await sealLargeAnswer(answerWorker, request, answer);
  return { text: callMask.clean(text), auditText: callMask.clean(auditText) };
}

function sealResult({ mask, directory, runId }: Recording, value: Json): SealedResult {
  const { resultBytesMax } = directory.settings;
  const sealed = mask.sealJson(value);
  const text = toJsonText(sealed);
  if (Buffer.byteLength(text) <= resultBytesMax) return { value: sealed, text, runId };
  const cut = cutJson(sealed, resultBytesMax, cutSealedText);
  return { value: cut, text: toJsonText(cut), runId };
}

/** Records and logs a failure; returns it as it may leave. */
async function recordFailure(
  deps: RecordDeps,
  recording: Recording,
  failure: HubError,
): Promise<HubError> {
  const { code, cause, detail } = failure;
  // It quotes hosts, and a host may be a part of what was an encrypted address.
  const words = cause instanceof OutboundError ? recording.createPartsMask() : recording.mask;
  const described = describeFailedCall(words, failure);
  if (described !== null) {
    deps.logFailure({ code, operation: recording.known.operationKey, ...described });
  }
  if (typeof detail.http_status === "number") recording.noteHttpStatus(detail.http_status);
  const sealed = sealFailure(deps, recording.mask, words, failure);
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
  words: Pick<Mask, "sealText" | "cutText">,
  failure: HubError,
): HubError {
  const detail = sealDetail(mask, failure.detail);
  const message = hidePaths(sealTextBeginning(words, failure.message, messageBytesMax));
  return new HubError(failure.code, message, { detail });
}

/** What comes with a failure may be what cannot be written; the failure has to be told all the same. */
function sealDetail(mask: Mask, detail: Record<string, unknown>): Record<string, unknown> {
  try {
    // A record of JSON values; sealing and cutting keep it one.
    return sealBeginning(mask, detail, auditBytesMax) as Record<string, unknown>;
  } catch {
    const { http_status: status } = detail;
    return typeof status === "number" ? { http_status: status } : {};
  }
}
