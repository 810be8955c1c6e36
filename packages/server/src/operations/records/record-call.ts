import { type Json, OutboundError, type OutboundErrorCode, toJsonText } from "@hub/connector";
import { ProgramFailure } from "../../connectors/program-failure.ts";
import type { Directory, RowDirectory } from "../../connectors/rows/row-directory.ts";
import { type ErrorCode, errorTable, HubError, toHubError } from "../../errors.ts";
import { messageBytesMax } from "../../lib/limits/answer-limits.ts";
import type { HidePaths } from "../../lib/text/hide-paths.ts";
import {
  ComposedAnswer,
  type ComposedFailure,
  toComposedResult,
} from "../answers/composed-answer.ts";
import type { KeptAnswer } from "../answers/kept-answer.ts";
import type { LargeAnswer } from "../answers/large-answers.ts";
import { type CallEntry, type CallLimiter, toUserLimit } from "../calls/call-limits.ts";
import { cutSealedText } from "../masking/cut-sealed-text.ts";
import { toRecordedMessage, withoutOutput } from "../masking/program-output.ts";
import { sealAnswer } from "../masking/seal-answer.ts";
import { sealAttachments } from "../masking/seal-attachments.ts";
import { findPlainFailure, sealCallFailure, toCallFailure } from "../masking/seal-failure.ts";
import type { Presentation, RecordedFailure, SealDeps } from "../masking/seal-result.ts";
import type { CallContext, SealedResult } from "../operations.ts";
import { describeFailedCall } from "./describe-cause.ts";
import { openRecording } from "./open-recording.ts";
import type { CallDescription, Recording, RecordingDeps } from "./recording.ts";
import { type RefusedCalls, refusedCallsKey } from "./refused-calls.ts";
import { refuseUnsent } from "./store-failures.ts";

export type RecordDeps = RecordingDeps &
  SealDeps & {
    directory: RowDirectory;
    userLimiter: CallLimiter;
    refusedCalls: RefusedCalls;
    /**
     * Logs a sealed failure: `err` is an error of the hub or a connector's code, `reason` the message
     * of an outside failure.
     */
    logFailure(failure: { code: ErrorCode; operation: string; err?: Json; reason?: string }): void;
    /** A plugin's messages may contain file paths of the hub's machine. */
    hidePaths: HidePaths;
  };

/** The work of a call. `leaveUser` ends its place among the running calls of its user before the call itself ends. */
type Answer = (
  recording: Recording,
  leaveUser: () => void,
) => Promise<Json | LargeAnswer | KeptAnswer | ComposedAnswer>;

/**
 * Runs a call and records it in exactly one audit row, whatever its outcome; of the calls that a limit
 * refuses, one row a minute counts all. Results and failures
 * leave only in sealed form. The outcome is stored before this resolves.
 */
export async function recordCall(
  deps: RecordDeps,
  ctx: CallContext,
  description: CallDescription,
  answer: Answer,
  presentation: Presentation = {},
): Promise<SealedResult> {
  // This must come first, because it also loads a rotated key ring.
  let directory: Directory;
  try {
    directory = await deps.directory.current(ctx.caller.seen);
  } catch (thrown) {
    refuseCall(thrown);
  }
  const recording = openRecording(deps, ctx, description, directory, presentation.fields);
  let release = () => {};
  let sealed: SealedResult;
  let response: string;
  let composed: ComposedFailure | null = null;
  try {
    const entry = enterUser(deps, ctx, directory);
    release = entry.release;
    if (entry.admitted !== null) {
      // After a refusal, the database is asked first: a call that has begun leaves a record.
      if (deps.refusedCalls.isRefusing(refusedCallsKey(ctx.caller.userId))) await entry.admitted;
      recording.require(entry.admitted);
    }
    const value = await answer(recording, release);
    if (entry.admitted !== null) await entry.admitted;
    const answered =
      value instanceof ComposedAnswer
        ? toComposedResult(value, recording.runId)
        : sealAnswer(deps, ctx, recording, value, presentation);
    const presented = answered instanceof Promise ? await answered : answered;
    if (value instanceof ComposedAnswer) composed = value.failure;
    sealed = presented.sealed;
    response = presented.auditText;
    const hasBlocks = recording.attachments.list().length > 0;
    const blocks = hasBlocks ? await sealAttachments(deps, ctx, recording) : null;
    if (blocks !== null) sealed = Object.assign(sealed, { blocks });
  } catch (thrown) {
    throw await recordFailure(deps, ctx, recording, toCallFailure(thrown));
  } finally {
    recording.release();
    release();
  }
  const failure = presentation.findFailure?.(sealed.value) ?? null;
  const failed =
    failure === null ? composed && toFailedParts(composed) : toFailedAnswer(deps, failure);
  await recording.close({ ...(failed ?? succeeded), response });
  return sealed;
}

const succeeded = { status: "success", errorCode: null, errorMsg: null } as const;

/** All parts of an answer failed. Each has the record of its own call. */
function toFailedParts({ code, message }: ComposedFailure) {
  const errorMsg = cutSealedText(message, messageBytesMax);
  return { status: errorTable[code].runStatus, errorCode: code, errorMsg };
}

/** A returned value that says that something failed. It is no error of the caller's request. */
function toFailedAnswer({ hidePaths }: RecordDeps, { message, isUnreached }: RecordedFailure) {
  const errorMsg = cutSealedText(hidePaths(message), messageBytesMax);
  return { status: "error", errorCode: "upstream_error", errorMsg, isUnreached } as const;
}

/**
 * Counts a call of a user until `release`.
 * Workflows wait for their own limit, so they and their scripts leave the calls of their owner alone.
 */
export function enterUser(
  { userLimiter }: Pick<RecordDeps, "userLimiter">,
  { caller, origin }: CallContext,
  { settings }: Directory,
): CallEntry {
  if (origin.source === "workflow") return { admitted: null, release() {} };
  return userLimiter.enter(caller.userId, toUserLimit(settings));
}

/** Clients get a general error, because the message may contain the path of a lost key file. */
export function refuseCall(thrown: unknown): never {
  const isSafeForClients = thrown instanceof HubError && thrown.code !== "bad_configuration";
  if (isSafeForClients) refuseUnsent(thrown);
  throw toHubError(new Error("The rows cannot be read", { cause: thrown }));
}

/** Records and logs a failure. Returns its sealed form. */
async function recordFailure(
  deps: RecordDeps,
  ctx: CallContext,
  recording: Recording,
  failure: HubError,
): Promise<HubError> {
  const { code, cause, detail } = failure;
  const shown = ctx.caller.role === "admin" ? failure : withoutOutput(failure);
  const isOutbound = cause instanceof OutboundError;
  const plain = findPlainFailure(recording, failure);
  // The message quotes a host, which can be part of an encrypted address.
  const textMask = isOutbound && plain === null ? recording.createPartsMask() : recording.mask;
  const described = describeFailedCall(textMask, isOutbound ? (plain ?? failure) : failure);
  if (described !== null) {
    deps.logFailure({ code, operation: recording.known.operationKey, ...described });
  }
  if (typeof detail.http_status === "number") recording.recordHttpStatus(detail.http_status);
  const sealed = sealCallFailure(deps, recording, shown, textMask);
  const outcome = {
    status: errorTable[code].runStatus,
    errorCode: code,
    errorMsg: toRecordedMessage(sealed),
    response: null,
    isUnreached: isUnreached(failure),
  };
  if (isCountedOnly(deps, ctx, recording, failure)) recording.countOnly(outcome);
  else await recording.close(outcome);
  return sealed;
}

/** Whether the outside system is known not to have been reached. */
function isUnreached({ code, cause, detail }: HubError): boolean {
  if (code === "plugin_unavailable" || detail.not_sent === true) return true;
  if (cause instanceof ProgramFailure) return true;
  return cause instanceof OutboundError && unreachedCodes.has(cause.code);
}

const unreachedCodes: ReadonlySet<OutboundErrorCode> = new Set<OutboundErrorCode>([
  "blocked",
  "dns",
  "network",
  "timeout",
]);

/** Whether a call that a limit refused gets no record of its own. */
function isCountedOnly(
  deps: RecordDeps,
  { caller, origin, cause }: CallContext,
  recording: Recording,
  { code, detail }: HubError,
): boolean {
  if (code !== "rate_limited" || cause?.kind === "workflow" || recording.hasBegun()) return false;
  const { operationKey, rowLabel, connectorId } = recording.known;
  // Before the row is found, its id is what the caller sent.
  const rowId = rowLabel === null ? null : connectorId;
  const key = refusedCallsKey(caller.userId, { budget: detail.budget, rowId });
  // Holds no part of the call's request, which may be large.
  const isFirst = deps.refusedCalls.admit(key, async (calls) => {
    const at = deps.now();
    await deps.runs.insertFinished({
      id: deps.createRunId(),
      parentRunId: null,
      connectorId: rowId,
      rowLabel,
      operationKey,
      userId: caller.userId,
      tokenId: caller.tokenId,
      source: origin.source,
      request: countedRequest,
      requestCut: true,
      ipAddress: origin.ip,
      userAgent: null,
      workflowRunId: null,
      startedBy: null,
      causeKind: "client",
      causeId: null,
      instanceId: deps.instanceId,
      account: null,
      startedAt: at,
      endedAt: at,
      latencyMs: 0,
      httpStatus: null,
      status: errorTable[code].runStatus,
      errorCode: code,
      errorMsg: `${calls} more calls were refused within a minute, because a limit was used up.`,
      response: toJsonText({ refused_calls: calls }),
    });
  });
  return !isFirst;
}

const countedRequest = toJsonText({ _omitted: "This record counts several refused calls." });
