import type { OpenWorker } from "./worker-queue.ts";

/**
 * Starts the thread of `answer-worker.ts`. A program that Bun compiles or bundles needs that file
 * as a second entry, with entry names without folders: `docs/guide/own-connectors.md`.
 */
export const openAnswerWorker: OpenWorker = ({ onMessage, onFailure }) => {
  const worker = new Worker(findEntry(), { smol: true, ref: false });
  worker.onmessage = ({ data }) => onMessage(data);
  worker.onerror = (event) => onFailure(new Error(event.message));
  worker.onmessageerror = () => onFailure(new Error("A message of the worker could not be read."));
  worker.addEventListener("close", () => onFailure(new Error("The worker ended.")));
  return {
    post(message) {
      const bytes = message.kind === "job" ? message.job.parts.flatMap(listBytes) : [];
      worker.postMessage(message, bytes);
    },
    end() {
      worker.terminate();
    },
  };
};

/** In a bundle, the file is JavaScript. A compiled program finds it under both names. */
function findEntry(): URL {
  const extension = import.meta.url.endsWith(".js") ? "js" : "ts";
  return new URL(`./answer-worker.${extension}`, import.meta.url);
}

function listBytes(part: { bytes: Uint8Array } | { text: string }): ArrayBuffer[] {
  if (!("bytes" in part)) return [];
  // A transfer moves the whole buffer, so a view of a part of a buffer is copied.
  const { buffer, byteLength } = part.bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}
