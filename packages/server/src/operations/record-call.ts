import { type Json, toJsonText } from "@hub/connector";
import { type ErrorCode, errorTable, HubError, toHubError } from "../errors.ts";
import { cutJson } from "../lib/cut-json.ts";
import { toPlainJson } from "../lib/plain-json.ts";
import { createMask, type Mask } from "../secrets/mask.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import type { NewRun, RunOutcome, RunRecorder } from "../store/run-recorder.ts";
import { cutSealedText } from "./cut-sealed-text.ts";
import { describeCause } from "./describe-cause.ts";
import type { CallContext, SealedResult } from "./operations.ts";

/** Request and response are kept up to this size each; a failure's details are no longer either. */
const auditBytesMax = 16 * 1024;
const messageBytesMax = 4 * 1024;

/** What is known of a call; more of it as the pipeline learns more. */
export type CallDescription = {
  connectorId: string | null;
  rowLabel: string | null;
  operationKey: string;
  /** The request as the client sent it; it is sealed before it is stored. */
  request: Json;
};

/** The audit row of a call under way. */
export type Recording = {
  runId: string;
  /** Every secret that this call meets; what leaves passes through it. */
  mask: Mask;
  describe(part: Partial<CallDescription>): void;
  noteHttpStatus(status: number): void;
  /** Puts the row on disk as `running`. Until it resolves, no operation may start. */
  begin(): Promise<void>;
};

export type RecordDeps = {
  runs: Pick<RunRecorder, "begin" | "finish" | "insertFinished">;
  ring: RingHolder;
  isMaskingEnabled: boolean;
  instanceId: string;
  resultBytesMax: number;
  now: () => number;
  createRunId: () => string;
  /** Tells the log what went wrong inside; everything given to it is sealed. */
  logFailure(report: FailureReport): void;
};

/** What the log learns of a failed call, and nobody else does. */
export type FailureReport = { code: ErrorCode; operation: string; err: Json };

/**
 * Wraps a call so that exactly one audit row tells of it, whatever becomes of it, and that nothing
 * leaves unsealed: neither its result nor its failure. The outcome is on disk before this resolves.
 */
export async function recordCall(
  deps: RecordDeps,
  ctx: CallContext,
  description: CallDescription,
  answer: (recording: Recording) => Promise<Json>,
): Promise<SealedResult> {
  const startedAt = deps.now();
  const runId = deps.createRunId();
  const known = { ...description };
  let httpStatus: number | null = null;
  let hasBegun = false;
  let learnedSince = false;
  const mask = watchMask(
    createMask({
      ring: deps.ring.current(),
      userId: ctx.caller.userId,
      enabled: deps.isMaskingEnabled,
    }),
    () => {
      learnedSince ||= hasBegun;
    },
  );
  const toRow = (): NewRun => toNewRun(deps, ctx, known, mask, { runId, startedAt });

  const recording: Recording = {
    runId,
    mask,
    describe: (part) => Object.assign(known, part),
    noteHttpStatus: (status) => {
      httpStatus = status;
    },
    async begin() {
      await deps.runs.begin(toRow());
      hasBegun = true;
    },
  };

  const close = async (outcome: Omit<RunOutcome, "endedAt" | "latencyMs" | "httpStatus">) => {
    const endedAt = deps.now();
    const full = { ...outcome, httpStatus, endedAt, latencyMs: Math.max(endedAt - startedAt, 0) };
    const resealed = learnedSince ? { resealed: toStoredRequest(known, mask) } : {};
    if (hasBegun) await deps.runs.finish(runId, { ...full, ...resealed });
    else await deps.runs.insertFinished({ ...toRow(), ...full });
  };

  let sealed: SealedResult;
  try {
    sealed = sealResult(deps, mask, await answer(recording));
  } catch (thrown) {
    const failure = toHubError(thrown);
    if (failure.cause !== undefined) {
      const err = describeCause(mask, failure.cause);
      deps.logFailure({ code: failure.code, operation: known.operationKey, err });
    }
    const sealedFailure = sealFailure(mask, failure);
    if (typeof failure.detail.http_status === "number") httpStatus = failure.detail.http_status;
    await close({
      status: errorTable[failure.code].runStatus,
      errorCode: failure.code,
      errorMsg: sealedFailure.message,
      response: null,
    });
    throw sealedFailure;
  }
  await close({
    status: "success",
    errorCode: null,
    errorMsg: null,
    response: toAuditText(sealed.value, sealed.text),
  });
  return sealed;
}

function sealResult(deps: RecordDeps, mask: Mask, value: Json): SealedResult {
  const sealed = mask.sealJson(value);
  const text = toJsonText(sealed);
  if (Buffer.byteLength(text) <= deps.resultBytesMax) return { value: sealed, text };
  const cut = cutJson(sealed, deps.resultBytesMax, cutSealedText);
  return { value: cut, text: toJsonText(cut) };
}

function sealFailure(mask: Mask, failure: HubError): HubError {
  const sealed = mask.sealJson(toPlainJson(failure.detail));
  // detail is a record of JSON values; sealing and cutting keep it one.
  const detail = cutJson(sealed, auditBytesMax, cutSealedText) as Record<string, unknown>;
  const message = cutSealedText(mask.sealText(failure.message), messageBytesMax);
  return new HubError(failure.code, message, { detail });
}

function toAuditText(value: Json, text: string): string {
  if (Buffer.byteLength(text) <= auditBytesMax) return text;
  return toJsonText(cutJson(value, auditBytesMax, cutSealedText));
}

function toNewRun(
  deps: RecordDeps,
  ctx: CallContext,
  known: CallDescription,
  mask: Mask,
  { runId, startedAt }: { runId: string; startedAt: number },
): NewRun {
  return {
    ...toStoredRequest(known, mask),
    id: runId,
    parentRunId: ctx.parentRunId ?? null,
    connectorId: known.connectorId,
    rowLabel: known.rowLabel,
    operationKey: known.operationKey,
    userId: ctx.caller.userId,
    tokenId: ctx.caller.tokenId,
    source: ctx.origin.source,
    ipAddress: ctx.origin.ip,
    userAgent: ctx.origin.userAgent,
    instanceId: deps.instanceId,
    startedAt,
  };
}

function toStoredRequest({ request }: CallDescription, mask: Mask) {
  const sealed = mask.sealJson(request);
  const text = toJsonText(sealed);
  const stored = toAuditText(sealed, text);
  return { request: stored, requestCut: stored !== text };
}

/** Tells when a secret is added: what was sealed before may hold it in plain. */
function watchMask(mask: Mask, onAdd: () => void): Mask {
  return {
    ...mask,
    addSecret(text) {
      onAdd();
      mask.addSecret(text);
    },
    addSecretIgnoreCase(text) {
      onAdd();
      mask.addSecretIgnoreCase(text);
    },
  };
}
