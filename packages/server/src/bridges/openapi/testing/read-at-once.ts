import { doDocumentJob } from "../documents/do-document-job.ts";
import type { OpenDocumentWorker } from "../documents/open-document-worker.ts";

/** Does what the worker does, in this thread, because each start of a worker takes 60 ms of processor time. */
export const readAtOnce: OpenDocumentWorker = ({ onMessage }) => {
  let isEnded = false;
  return {
    post(job) {
      // Messages arrive later, and are copies.
      setImmediate(() =>
        doDocumentJob(structuredClone(job), (message) => {
          if (!isEnded) onMessage(structuredClone(message));
        }),
      );
    },
    end() {
      isEnded = true;
    },
  };
};
