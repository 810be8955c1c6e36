import { createAnswerTimeout } from "./answer-timeout.ts";

/** Runs one piece of work at a time, in the order of requests. */
export type Mutex = { take<T>(work: () => Promise<T>): Promise<T> };

/** Rejects with `unavailable` if the mutex is not free in time. */
export function createMutex(waitMsMax?: number): Mutex {
  const answerTimeout = createAnswerTimeout({ answerMsMax: waitMsMax });
  let last: Promise<void> = Promise.resolve();
  return {
    async take(work) {
      const earlier = last;
      const { promise: end, resolve } = Promise.withResolvers<void>();
      last = earlier.then(() => end);
      try {
        await answerTimeout.wait(earlier);
        return await work();
      } finally {
        resolve();
      }
    },
  };
}
