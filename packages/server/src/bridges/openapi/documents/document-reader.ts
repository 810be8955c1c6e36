import type { DiscoveredOperation } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import type { Timers } from "../../../lib/timers.ts";
import { yieldToEventLoop } from "../../../lib/yield-to-event-loop.ts";
import type { DocumentJob, DocumentMessage } from "./document-job.ts";
import type { OpenDocumentWorker } from "./open-document-worker.ts";
import type { DocumentServer } from "./read-servers.ts";

export type ReadOperations = {
  operations: DiscoveredOperation[];
  /** Operations that cannot be used, and why; the first of them. */
  leftOut: { sourceName: string; reason: string }[];
  leftOutCount: number;
  /** Only of a job that asks for them. */
  servers?: DocumentServer[];
};

/** Reads documents one after another, each in a worker thread of its own, which ends with it. */
export type DocumentReader = {
  read(job: DocumentJob, signal: AbortSignal): Promise<ReadOperations>;
};

/** Ten times the time of the largest document. */
const documentMsMax = 20_000;

export function createDocumentReader({
  openWorker,
  timers,
}: {
  openWorker: OpenDocumentWorker;
  timers: Timers;
}): DocumentReader {
  let last: Promise<unknown> = Promise.resolve();
  return {
    read(job, signal) {
      // One at a time, because each takes a few hundred MiB of memory.
      const result = last.then(() => readInWorker({ openWorker, timers }, job, signal));
      last = result.catch(() => {});
      return result;
    },
  };
}

function readInWorker(
  { openWorker, timers }: { openWorker: OpenDocumentWorker; timers: Timers },
  job: DocumentJob,
  signal: AbortSignal,
): Promise<ReadOperations> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<ReadOperations>();
  const texts: string[] = [];
  const worker = openWorker({
    onMessage(message: DocumentMessage) {
      if (message.kind === "operations") texts.push(message.text);
      else if (message.kind === "servers")
        resolve({ operations: [], leftOut: [], leftOutCount: 0, servers: message.servers });
      else if (message.kind === "done")
        resolve(parsePortions(texts).then((operations) => ({ ...message, operations })));
      else if (message.kind === "refused") reject(new HubError("upstream_error", message.message));
      else reject(new Error(`The worker failed: ${message.message}`));
    },
    onFailure: reject,
  });
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  const cancelTimer = timers.after(documentMsMax, () =>
    reject(
      new HubError(
        "upstream_error",
        "The document takes too long to read. Choose some of its operations by tags, paths or methods, or give a smaller document.",
      ),
    ),
  );
  try {
    worker.post(job);
  } catch (cause) {
    reject(cause);
  }
  return promise.finally(() => {
    cancelTimer();
    signal.removeEventListener("abort", abort);
    worker.end();
  });
}

/** The messages may have arrived all at once, so other work runs between them. */
async function parsePortions(texts: readonly string[]): Promise<DiscoveredOperation[]> {
  const operations: DiscoveredOperation[] = [];
  for (const text of texts) {
    operations.push(...JSON.parse(text));
    await yieldToEventLoop();
  }
  return operations;
}
