import type { Timers } from "../../lib/time/timers.ts";
import { type AnswerMemory, createAnswerMemory } from "./answer-memory.ts";
import { createWorkerQueue, type OpenWorker, type WorkerQueue } from "./worker-queue.ts";

/** One user gets as much as the largest answer. All users together get four times that. */
const limits = { userBytesMax: 16 * 1024 * 1024, bytesMax: 64 * 1024 * 1024 };

/** What all calls with large answers share: one worker and one memory limit. */
export function createLargeAnswers(deps: { openWorker: OpenWorker; timers: Timers }): {
  answerMemory: AnswerMemory;
  answerWorker: WorkerQueue;
} {
  return { answerMemory: createAnswerMemory(limits), answerWorker: createWorkerQueue(deps) };
}
