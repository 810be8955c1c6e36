import { type ErrorCode, HubError } from "../../errors.ts";
import { createLanes } from "../../lib/queues/fair-semaphore.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type {
  AnswerJob,
  MainMessage,
  Questions,
  ReadAnswer,
  Replies,
  WorkerMessage,
} from "./answer-job.ts";

/** A running worker thread. */
export type WorkerPort = {
  /** Sends a message. The bytes of a job are transferred: this thread can no longer read them. */
  post(message: MainMessage): void;
  end(): void;
};

export type OpenWorker = (listener: {
  onMessage(message: WorkerMessage): void;
  /** The worker did not start, or it died. */
  onFailure(cause: unknown): void;
}) => WorkerPort;

type QueueDeps = { openWorker: OpenWorker; timers: Timers };

type QueuedJob = {
  job: AnswerJob;
  answer(questions: Questions): Promise<Replies>;
  resolve(answer: ReadAnswer): void;
  reject(reason: HubError): void;
};

/** Runs jobs on one worker thread, one at a time, round-robin between the users. */
export type WorkerQueue = {
  read(
    userId: string,
    job: AnswerJob,
    answer: (questions: Questions) => Promise<Replies>,
  ): Promise<ReadAnswer>;
  /** Ends the worker and rejects waiting jobs. */
  close(): void;
};

/** An idle worker wastes memory. */
const idleMsMax = 30_000;
/** A hundred times the time of the largest answer. */
const jobMsMax = 60_000;

export function createWorkerQueue({ openWorker, timers }: QueueDeps): WorkerQueue {
  const lanes = createLanes<QueuedJob>();
  let worker: WorkerPort | null = null;
  let current: QueuedJob | null = null;
  let cancelTimer = () => {};
  let isClosed = false;

  function startNext(): void {
    cancelTimer();
    current = takeNext();
    if (current === null) {
      cancelTimer = worker === null ? () => {} : timers.after(idleMsMax, endWorker);
      return;
    }
    try {
      worker ??= open();
      cancelTimer = timers.after(jobMsMax, () => {
        failWorker(toLeftOut("The search for secrets took too long."));
      });
      worker.post({ kind: "job", job: current.job });
    } catch (cause) {
      failWorker(toWorkerFailure(cause));
    }
  }

  function takeNext(): QueuedJob | null {
    const next = lanes.takeNext();
    if (next === null) return null;
    // `current` is what runs.
    lanes.end(next.line);
    return next.item;
  }

  function open(): WorkerPort {
    const port: WorkerPort = openWorker({
      onMessage: (message) => {
        if (worker === port) handleMessage(message);
      },
      onFailure: (cause) => {
        if (worker === port) failWorker(toWorkerFailure(cause));
      },
    });
    return port;
  }

  function handleMessage(message: WorkerMessage): void {
    const job = current;
    if (job === null) return;
    if (message.kind === "ask") {
      const port = worker;
      job.answer(message.questions).then(
        (replies) => {
          if (worker === port && current === job) port?.post({ kind: "replies", replies });
        },
        (cause) => {
          if (worker === port && current === job) failWorker(toWorkerFailure(cause));
        },
      );
      return;
    }
    current = null;
    if (message.kind === "done") job.resolve(message.answer);
    else if (message.kind === "refused") job.reject(new HubError(message.code, message.message));
    else job.reject(toWorkerFailure(new Error(`The worker failed: ${message.message}`)));
    startNext();
  }

  /** The state of a failed worker is unknown, so the next job gets a new worker. */
  function failWorker(reason: HubError): void {
    const job = current;
    current = null;
    endWorker();
    job?.reject(reason);
    startNext();
  }

  function endWorker(): void {
    cancelTimer();
    const port = worker;
    worker = null;
    port?.end();
  }

  return {
    read(userId, job, answer) {
      const { promise, resolve, reject } = Promise.withResolvers<ReadAnswer>();
      if (isClosed) return Promise.reject(toStopped());
      lanes.add({ owner: userId }, { job, answer, resolve, reject });
      if (current === null) startNext();
      return promise;
    },
    close() {
      isClosed = true;
      endWorker();
      for (let job = current ?? takeNext(); job !== null; job = takeNext()) job.reject(toStopped());
      current = null;
    },
  };
}

function toWorkerFailure(cause: unknown): HubError {
  const code: ErrorCode = "internal";
  return new HubError(
    code,
    "The answer was left out: it is larger than 256 KiB, and the worker that searches large answers for secrets failed. Request less data at a time. The reason is in the hub's log.",
    { cause },
  );
}

function toLeftOut(reason: string): HubError {
  return new HubError(
    "upstream_error",
    `The answer was left out. ${reason} Request less data at a time.`,
  );
}

function toStopped(): HubError {
  return new HubError("cancelled", "The hub is stopping.");
}
