import { type Json, toJsonText } from "@hub/connector";
import { cutJson, cutParts, writeCuts } from "../../lib/json/cut-json.ts";
import { type FieldPaths, pickResult } from "../../lib/json/pick-fields.ts";
import { writeJson } from "../../lib/json/write-json.ts";
import { hasLongList, writeLists } from "../../lib/json/write-lists.ts";
import { answerBytesMax } from "../../lib/limits/answer-limits.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { TooManySecretsError } from "../../secrets/masks/limit-seals.ts";
import type { ReadAnswer } from "../answers/answer-job.ts";
import type { KeptAnswer } from "../answers/kept-answer.ts";
import { LargeAnswer, sealLargeAnswer, toLazyResult } from "../answers/large-answers.ts";
import type { WorkerQueue } from "../answers/worker-queue.ts";
import type { CallContext, SealedResult } from "../operations.ts";
import type { Recording } from "../records/recording.ts";
import { auditBytesMax, toAuditText } from "../records/stored-request.ts";
import { cutSealedText } from "./cut-sealed-text.ts";

export type SealDeps = { answerWorker: WorkerQueue; isMaskingEnabled: boolean };

/** What of a result is returned. */
export type Presentation = {
  /** Only these parts, picked before the result is sealed and cut. */
  fields?: FieldPaths | undefined;
  /** The result is not cut. It must not come from outside. */
  isWhole?: boolean;
  /** Cuts the result to fewer bytes than the setting. */
  bytesMax?: number | undefined;
  /** Of a sealed result that says that something failed: the failure that is recorded. The result stays the answer. */
  findFailure?: (sealed: Json) => RecordedFailure | null;
};

/** `message` is sealed. */
export type RecordedFailure = { message: string; isUnreached: boolean };

/**
 * Seals a result. Returns null if it contains so many secrets that sealing would block the event
 * loop.
 */
export function sealSmall(
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

/**
 * Seals a result of the hub itself, which is not cut. Long lists are sealed and written in portions.
 */
export async function sealWhole(
  { mask, runId }: Recording,
  value: Json,
): Promise<{ sealed: SealedResult; auditText: string }> {
  if (!hasLongList(value)) {
    const sealed = mask.sealJson(value);
    const text = toJsonText(sealed);
    return { sealed: { value: sealed, text, runId }, auditText: toAuditText(sealed, text) };
  }
  const seal = (part: Json) => mask.sealJson(part);
  const text = await writeLists({ yieldToEventLoop, seal }, value);
  const isShort = Buffer.byteLength(text) <= auditBytesMax;
  const auditText = isShort ? text : toJsonText(cutLists(value, text, seal));
  return { sealed: toLazyResult({ text, auditText }, runId), auditText };
}

/** Seals a result that many calls get. In a call without secrets, sealing changes nothing. */
export async function sealKept(
  recording: Recording,
  kept: KeptAnswer,
): Promise<{ sealed: SealedResult; auditText: string }> {
  if (!recording.callMask.isIdle()) return await sealWhole(recording, kept.value);
  if (kept.written === null) {
    const { sealed, auditText } = await sealWhole(recording, kept.value);
    kept.written = { text: sealed.text, auditText };
  }
  const sealed = Object.assign(toLazyResult(kept.written, recording.runId), { kept });
  return { sealed, auditText: kept.written.auditText };
}

/** The beginning of a value with long lists, for the record. */
function cutLists(value: Record<string, Json>, text: string, seal: (part: Json) => Json): Json {
  const lists = Object.entries(value).map(([key, member]) => [
    key,
    // No item is shorter than two bytes, so the rest would be cut in any case.
    Array.isArray(member) ? member.slice(0, auditBytesMax / 2) : member,
  ]);
  const parts = cutParts(seal(Object.fromEntries(lists)), auditBytesMax, cutSealedText);
  if (parts === null) throw new Error("A long list fits into the record");
  const cuts = parts.cuts.map((cut) => {
    const whole = value[cut.path];
    return Array.isArray(whole) ? { ...cut, of: whole.length } : cut;
  });
  return writeCuts({ ...parts, cuts, bytes: Buffer.byteLength(text) }, auditBytesMax);
}

export async function sealLarge(
  { answerWorker, isMaskingEnabled }: SealDeps,
  { caller }: CallContext,
  { mask, callMask, directory }: Recording,
  value: Json | LargeAnswer,
  { fields, bytesMax = answerBytesMax }: Presentation,
): Promise<ReadAnswer> {
  const answer =
    value instanceof LargeAnswer
      ? value
      : new LargeAnswer(await writeJson({ yieldToEventLoop }, value));
  const resultBytesMax = Math.min(directory.settings.resultBytesMax, answerBytesMax, bytesMax);
  const { userId } = caller;
  const limits = { resultBytesMax, auditBytesMax };
  const request = { userId, mask, isMaskingEnabled, ...limits, ...(fields && { fields }) };
  const { text, auditText } = await sealLargeAnswer(answerWorker, request, answer);
  return { text: callMask.clean(text), auditText: callMask.clean(auditText) };
}

function sealResult(
  { mask, directory, runId }: Recording,
  value: Json,
  { fields, bytesMax = answerBytesMax }: Presentation,
): SealedResult {
  const resultBytesMax = Math.min(directory.settings.resultBytesMax, bytesMax);
  const sealed = mask.sealJson(fields === undefined ? value : pickResult(value, fields));
  const text = toJsonText(sealed);
  if (Buffer.byteLength(text) <= resultBytesMax) return { value: sealed, text, runId };
  const cut = cutJson(sealed, resultBytesMax, cutSealedText);
  return { value: cut, text: toJsonText(cut), runId };
}
