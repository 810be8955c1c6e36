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
  const worker = new Worker(findEntry(), { smol: true, ref: false });
  worker.onmessage = ({ data }) => onMessage(data);
  worker.onerror = (event) => onFailure(new Error(event.message));
  worker.onmessageerror = () => onFailure(new Error("A message of the worker could not be read."));
  worker.addEventListener("close", () => onFailure(new Error("The worker ended.")));
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
    end() {
      worker.terminate();
    },
  };
};

/** In a bundle, the file is JavaScript. A compiled program finds it under both names. */
function findEntry(): URL {
  const extension = import.meta.url.endsWith(".js") ? "js" : "ts";
  return new URL(`./document-worker.${extension}`, import.meta.url);
}
