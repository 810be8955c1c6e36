import type { DiscoveredOperation } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import type { DocumentAbout } from "./describe-document.ts";
import type { DocumentFilters } from "./document-filters.ts";
import type { DocumentJob, DocumentMessage } from "./document-job.ts";
import type { OpenDocumentWorker } from "./open-document-worker.ts";
import type { LeftOutOperation } from "./read-openapi-document.ts";
import type { DocumentServer } from "./read-servers.ts";

export type ReadOperations = {
  operations: DiscoveredOperation[];
  /** Operations that cannot be used, and why; the last entry may be of many. */
  leftOut: LeftOutOperation[];
  leftOutCount: number;
  /** What the document says beside its operations, if it was asked for. */
  about: AboutDocument | null;
};

export type AboutDocument = DocumentAbout & { tags: Array<[sourceName: string, tags: string[]]> };

/** Reads documents one after another, each in a worker thread of its own, which ends with it. */
export type DocumentReader = {
  read(
    document: DocumentJob["document"],
    filters: DocumentFilters,
    signal: AbortSignal,
    options?: { describes?: boolean },
  ): Promise<ReadOperations>;
  readServers(document: DocumentJob["document"], signal: AbortSignal): Promise<DocumentServer[]>;
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
  function readNext<Result>(
    job: DocumentJob,
    signal: AbortSignal,
    collect: Collect<Result>,
  ): Promise<Result> {
    // One at a time, because each takes a few hundred MiB of memory.
    const result = last.then(() => readInWorker({ openWorker, timers }, job, signal, collect));
    last = result.catch(() => {});
    return result;
  }
  return {
    read(document, filters, signal, { describes = false } = {}) {
      const texts: string[] = [];
      let about: AboutDocument | null = null;
      const job: DocumentJob = { document, filters, ...(describes && { describes }) };
      return readNext(job, signal, (message) => {
        if (message.kind === "operations") texts.push(message.text);
        if (message.kind === "about") about = { ...message.about, tags: message.tags };
        if (message.kind !== "done") return null;
        return parsePortions(texts).then((operations) => ({ ...message, operations, about }));
      });
    },
    readServers: (document, signal) =>
      readNext({ document, filters: null }, signal, (message) =>
        message.kind === "servers" ? message.servers : null,
      ),
  };
}

/** Takes a message from the worker. Returns the result with the last one, else null. */
type Collect<Result> = (
  message: Exclude<DocumentMessage, { kind: "refused" | "broken" }>,
) => Result | Promise<Result> | null;

function readInWorker<Result>(
  { openWorker, timers }: { openWorker: OpenDocumentWorker; timers: Timers },
  job: DocumentJob,
  signal: AbortSignal,
  collect: Collect<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const worker = openWorker({
    onMessage(message: DocumentMessage) {
      if (message.kind === "refused") reject(new HubError("upstream_error", message.message));
      else if (message.kind === "broken")
        reject(new Error(`The worker failed: ${message.message}`));
      else {
        const result = collect(message);
        if (result !== null) resolve(result);
      }
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
