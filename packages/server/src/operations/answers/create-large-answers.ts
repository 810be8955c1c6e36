import type { Timers } from "../../lib/timers.ts";
import { type AnswerSpaces, createAnswerSpaces } from "./answer-space.ts";
import { createWorkerDesk, type OpenWorker, type WorkerDesk } from "./worker-desk.ts";

/** Of one user, as much as the largest answer; in all, four times that. */
const limits = { userBytesMax: 16 * 1024 * 1024, bytesMax: 64 * 1024 * 1024 };

/** What calls with large answers share: one worker, and the memory that they may take. */
export function createLargeAnswers(deps: { openWorker: OpenWorker; timers: Timers }): {
  answerSpaces: AnswerSpaces;
  answerWorker: WorkerDesk;
} {
  return { answerSpaces: createAnswerSpaces(limits), answerWorker: createWorkerDesk(deps) };
}
