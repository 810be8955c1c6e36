import { openWorker, toWorkerUrl } from "../../lib/process/open-worker.ts";
import type { WorkerMessage } from "./answer-job.ts";
import type { OpenWorker } from "./worker-queue.ts";

/**
 * Starts the thread of `answer-worker.ts`. A program that Bun compiles or bundles needs that file
 * as a second entry, with entry names without folders: `docs/guide/own-connectors.md`.
 */
export const openAnswerWorker: OpenWorker = ({ onMessage, onFailure }) => {
  const worker = openWorker(toWorkerUrl(import.meta.url, "answer-worker"), {
    // Safe: `answer-worker.ts` sends nothing else.
    onMessage: (message) => onMessage(message as WorkerMessage),
    onFailure,
  });
  return {
    post(message) {
      const bytes = message.kind === "job" ? message.job.parts.flatMap(listBytes) : [];
      worker.postMessage(message, bytes);
    },
    end: () => worker.terminate(),
  };
};

function listBytes(part: { bytes: Uint8Array } | { text: string }): ArrayBuffer[] {
  if (!("bytes" in part)) return [];
  // A transfer moves the whole buffer, so a view of a part of a buffer is copied.
  const { buffer, byteLength } = part.bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
