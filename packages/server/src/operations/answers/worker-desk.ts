import { type ErrorCode, HubError } from "../../errors.ts";
import type { Timers } from "../../lib/timers.ts";
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
  /** Hands a message over; the bytes of a job go with it and are gone from here. */
  post(message: MainMessage): void;
  end(): void;
};

export type OpenWorker = (listener: {
  onMessage(message: WorkerMessage): void;
  /** It could not start, or it died. */
  onFailure(cause: unknown): void;
}) => WorkerPort;

type DeskDeps = { openWorker: OpenWorker; timers: Timers };

type QueuedJob = {
  userId: string;
  job: AnswerJob;
  answer(questions: Questions): Promise<Replies>;
  resolve(answer: ReadAnswer): void;
  reject(reason: HubError): void;
};

/** Gives jobs to one worker thread, one at a time, and the users their turns. */
export type WorkerDesk = {
  read(
    userId: string,
    job: AnswerJob,
    answer: (questions: Questions) => Promise<Replies>,
  ): Promise<ReadAnswer>;
  /** Ends the worker; jobs that wait are refused. */
  close(): void;
};

/** A worker that has nothing to do holds memory for nothing. */
const idleMsMax = 30_000;
/** A hundred times what the largest answer takes. */
const jobMsMax = 60_000;

export function createWorkerDesk({ openWorker, timers }: DeskDeps): WorkerDesk {
  /** In the order in which the users have their turns. */
  const waiting = new Map<string, QueuedJob[]>();
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
        failWorker(toLeftOut("It took too long to search it for secrets."));
      });
      worker.post({ kind: "job", job: current.job });
    } catch (cause) {
      failWorker(toNotRead(cause));
    }
  }

  function takeNext(): QueuedJob | null {
    for (const [userId, jobs] of waiting) {
      const job = jobs.shift();
      waiting.delete(userId);
      // To the end: the others come first now.
      if (jobs.length > 0) waiting.set(userId, jobs);
      if (job !== undefined) return job;
    }
    return null;
  }

  function open(): WorkerPort {
    const port: WorkerPort = openWorker({
      onMessage: (message) => {
        if (worker === port) hear(message);
      },
      onFailure: (cause) => {
        if (worker === port) failWorker(toNotRead(cause));
      },
    });
    return port;
  }

  function hear(message: WorkerMessage): void {
    const job = current;
    if (job === null) return;
    if (message.kind === "ask") {
      const port = worker;
      job.answer(message.questions).then(
        (replies) => {
          if (worker === port && current === job) port?.post({ kind: "replies", replies });
        },
        (cause) => {
          if (worker === port && current === job) failWorker(toNotRead(cause));
        },
      );
      return;
    }
    current = null;
    if (message.kind === "done") job.resolve(message.answer);
    else if (message.kind === "refused") job.reject(new HubError(message.code, message.message));
    else job.reject(toNotRead(new Error(`The worker failed: ${message.message}`)));
    startNext();
  }

  /** What a worker that failed still holds is unknown, so the next job gets a new one. */
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
      const jobs = waiting.get(userId);
      const queued = { userId, job, answer, resolve, reject };
      if (jobs === undefined) waiting.set(userId, [queued]);
      else jobs.push(queued);
      if (current === null) startNext();
      return promise;
    },
    close() {
      isClosed = true;
      const jobs = [...(current === null ? [] : [current]), ...[...waiting.values()].flat()];
      current = null;
      waiting.clear();
      endWorker();
      for (const { reject } of jobs) reject(toStopped());
    },
  };
}

function toNotRead(cause: unknown): HubError {
  const code: ErrorCode = "internal";
  return new HubError(
    code,
    "The answer is larger than 256 KiB, and the worker that searches such answers for secrets failed, so it was left out. Ask for less at a time; the reason is in the hub's log.",
    { cause },
  );
}

function toLeftOut(reason: string): HubError {
  return new HubError(
    "upstream_error",
    `The answer was left out. ${reason} Ask for less at a time.`,
  );
}

function toStopped(): HubError {
  return new HubError("cancelled", "The hub is stopping.");
}
