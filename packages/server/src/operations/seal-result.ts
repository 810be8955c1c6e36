import { type Json, toJsonText } from "@hub/connector";
import { answerBytesMax } from "../lib/answer-limits.ts";
import { cutJson } from "../lib/cut-json.ts";
import { type FieldPaths, pickResult } from "../lib/pick-fields.ts";
import { writeJson } from "../lib/write-json.ts";
import { yieldToEventLoop } from "../lib/yield-to-event-loop.ts";
import { TooManySecretsError } from "../secrets/limit-seals.ts";
import type { ReadAnswer } from "./answers/answer-job.ts";
import { LargeAnswer, sealLargeAnswer } from "./answers/large-answers.ts";
import type { WorkerQueue } from "./answers/worker-queue.ts";
import { cutSealedText } from "./cut-sealed-text.ts";
import { auditBytesMax, type Recording } from "./open-recording.ts";
import type { CallContext, SealedResult } from "./operations.ts";

export type SealDeps = { answerWorker: WorkerQueue; isMaskingEnabled: boolean };

/** What of a result is returned. */
export type Presentation = {
  /** Only these parts, picked before the result is sealed and cut. */
  fields?: FieldPaths | undefined;
  /** The result is not cut. It must not come from outside. */
  isWhole?: boolean;
};

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

export async function sealLarge(
  { answerWorker, isMaskingEnabled }: SealDeps,
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
