import { openWorker, toWorkerUrl } from "../../../lib/process/open-worker.ts";
import type { DocumentJob, DocumentMessage } from "./document-job.ts";

/** A running worker thread for one document. */
export type DocumentWorkerPort = { post(job: DocumentJob): void; end(): void };

export type OpenDocumentWorker = (listener: {
  onMessage(message: DocumentMessage): void;
  /** The worker did not start, or it died. */
  onFailure(cause: unknown): void;
}) => DocumentWorkerPort;

/**
 * Starts the thread of `document-worker.ts`. A program that Bun compiles or bundles needs that file
 * as an entry, like the worker of large answers: `docs/guide/own-connectors.md`.
 */
export const openDocumentWorker: OpenDocumentWorker = ({ onMessage, onFailure }) => {
  const worker = openWorker(toWorkerUrl(import.meta.url, "document-worker"), {
    // Safe: `document-worker.ts` sends nothing else.
    onMessage: (message) => onMessage(message as DocumentMessage),
    onFailure,
  });
  return {
    post(job) {
      const { document } = job;
      worker.postMessage(
        job,
        typeof document === "string" || !(document.buffer instanceof ArrayBuffer)
          ? []
          : [document.buffer],
      );
    },
    end: () => worker.terminate(),
  };
};
