import { type Json, parseJson, toJsonText } from "@hub/connector";
import { parseLongText } from "../../../lib/text/parse-long-text.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import { LargeAnswer, sealLargeAnswer } from "../../../operations/answers/large-answers.ts";
import type { WorkerQueue } from "../../../operations/answers/worker-queue.ts";
import type { Mask } from "../../../secrets/masks/mask.ts";

/** Seals a value off the event loop. Rejects if it cannot be searched for secrets. */
export type SealLarge = (userId: string, mask: Mask, value: Json) => Promise<Json>;

/** Searching more characters could occupy the event loop for long. */
export const largeChars = 256 * 1024;

/** Nothing is cut: the largest body of a webhook, with all its characters escaped. */
const bytesMax = 128 * 1024 * 1024;

export function createSealLarge(deps: {
  answerWorker: WorkerQueue;
  isMaskingEnabled: boolean;
}): SealLarge {
  const { answerWorker, isMaskingEnabled } = deps;
  return async (userId, mask, value) => {
    const written =
      typeof value === "string"
        ? { text: "null", parts: [{ path: [], content: value }] }
        : { text: toJsonText(value), parts: [] };
    const request = { userId, mask, isMaskingEnabled };
    const limits = { resultBytesMax: bytesMax, auditBytesMax: bytesMax };
    const answer = new LargeAnswer(written);
    const { text } = await sealLargeAnswer(answerWorker, { ...request, ...limits }, answer);
    // The answer of the worker has just been copied.
    await yieldToEventLoop();
    return typeof value === "string"
      ? await parseLongText({ yieldToEventLoop }, text)
      : parseJson(text);
  };
}
