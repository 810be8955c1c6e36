import { HubError } from "../errors.ts";
import type { CodeKillReason } from "../lib/metrics/metrics.ts";
import { createFairQueue, type FairQueue } from "../lib/queues/fair-queue.ts";
import type { Timers } from "../lib/time/timers.ts";
import type { CodeProcess, CodeRequest, CodeResult } from "./open-code-process.ts";

type PoolDeps = {
  start(): Promise<CodeProcess>;
  timers: Pick<Timers, "after">;
  processesMax?: number;
  /** One owner's scripts never take all processes. */
  ownerProcessesMax?: number;
  /** A process that has run a script of an owner runs no script of another one. */
  isPerOwner?: boolean;
  /** How many jobs of an owner may wait, and the error of one more. No limit by default. */
  waiting?: { max: number; refuse(): Error };
  idleMs?: number;
};

/** Processes for scripts. They start when they are needed, and end when they are idle. */
export type CodePool = {
  /**
   * Runs one job when a process is free, round-robin between the owners. `prepare` makes the request then, so that
   * waiting jobs hold no texts. Rejects with the reason of the signal, or if too many jobs wait.
   */
  run(ownerId: string, prepare: PrepareRequest, signal: AbortSignal): Promise<CodeResult>;
  /** The same for what must never be done twice. `prepare` is called when the job may begin, and makes its work. */
  runOnce<Result extends WorkResult>(
    ownerId: string,
    prepare: () => Work<Result> | Promise<Work<Result>>,
    signal: AbortSignal,
  ): Promise<Result>;
  count(): CodePoolCounts;
  /** For tests. */
  list(): Array<{ pid: number; isIdle: boolean }>;
  close(): Promise<void>;
};

type Work<Result> = (process: CodeProcess, signal: AbortSignal) => Promise<Result>;

type WorkResult =
  | { kind: "answer" | "broken" }
  | { kind: "killed"; reason: "timeout" | "memory" | "computing" };

type PrepareRequest = () => CodeRequest | Promise<CodeRequest>;

export type CodePoolCounts = {
  /** Processes that run a job, or start for one. */
  busy: number;
  idle: number;
  /** Jobs that wait for a process. */
  waiting: number;
  /** Processes that a job has ended, since the pool was made. */
  killed: Record<CodeKillReason, number>;
};

/** A process that has run so many scripts is replaced, so that nothing adds up. */
const runsMax = 500;

type Worker = {
  process: CodeProcess;
  /** Whose script it ran last. */
  ownerId: string;
  runs: number;
  cancelIdle(): void;
};

export function createCodePool(deps: PoolDeps): CodePool {
  return new WorkerPool(deps);
}

class WorkerPool implements CodePool {
  readonly #deps: PoolDeps;
  readonly #processesMax: number;
  readonly #queue: FairQueue;
  #idle: Worker[] = [];
  readonly #busy = new Set<Worker>();
  readonly #starting = new Set<Promise<void>>();
  readonly #ending = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #killed = { timeout: 0, memory: 0, crash: 0, cancelled: 0 };

  constructor(deps: PoolDeps) {
    const { processesMax = 3, ownerProcessesMax = 2, waiting } = deps;
    this.#deps = deps;
    this.#processesMax = processesMax;
    this.#queue = createFairQueue({
      atOnce: { total: processesMax, owner: ownerProcessesMax },
      ...(waiting && { waiting: { max: { owner: waiting.max }, refuse: waiting.refuse } }),
    });
  }

  async run(ownerId: string, prepare: PrepareRequest, given: AbortSignal): Promise<CodeResult> {
    const prepareWork = async (): Promise<Work<CodeResult>> => {
      const request = await prepare();
      return (process, signal) => process.run(request, signal);
    };
    return await this.#enter(ownerId, given, async (signal) => {
      const result = await this.#work(ownerId, prepareWork, signal);
      // A script does nothing outside, and the process may have ended for another reason.
      return result.kind === "broken" ? await this.#work(ownerId, prepareWork, signal) : result;
    });
  }

  async runOnce<Result extends WorkResult>(
    ownerId: string,
    prepare: () => Work<Result> | Promise<Work<Result>>,
    given: AbortSignal,
  ): Promise<Result> {
    return await this.#enter(ownerId, given, (signal) => this.#work(ownerId, prepare, signal));
  }

  count(): CodePoolCounts {
    return {
      busy: this.#busy.size + this.#starting.size,
      idle: this.#idle.length,
      waiting: this.#queue.countWaiting(),
      killed: { ...this.#killed },
    };
  }

  list(): Array<{ pid: number; isIdle: boolean }> {
    return [
      ...[...this.#busy].map(({ process }) => ({ pid: process.pid, isIdle: false })),
      ...this.#idle.map(({ process }) => ({ pid: process.pid, isIdle: true })),
    ];
  }

  async close(): Promise<void> {
    this.#closing.abort(new HubError("cancelled", "The hub is stopping."));
    for (const worker of this.#idle.splice(0)) {
      worker.cancelIdle();
      this.#end(worker);
    }
    // Those that start now are ended by their jobs, whose signal has aborted.
    await Promise.all(this.#starting);
    await Promise.all([...this.#busy].map(({ process }) => process.kill()));
    await Promise.all(this.#ending);
  }

  async #enter<Result>(
    ownerId: string,
    given: AbortSignal,
    job: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const signal = AbortSignal.any([given, this.#closing.signal]);
    signal.throwIfAborted();
    const release = await this.#queue.enter({ owner: ownerId }, signal);
    try {
      return await job(signal);
    } finally {
      release();
    }
  }

  async #work<Result extends WorkResult>(
    ownerId: string,
    prepare: () => Work<Result> | Promise<Work<Result>>,
    signal: AbortSignal,
  ): Promise<Result> {
    signal.throwIfAborted();
    const work = await prepare();
    const worker = await this.#takeWorker(ownerId);
    worker.runs += 1;
    this.#busy.add(worker);
    try {
      const result = await work(worker.process, signal);
      if (result.kind === "killed") this.#killed[toKillReason(result.reason)] += 1;
      if (result.kind === "broken") this.#killed.crash += 1;
      return result;
    } catch (thrown) {
      if (!this.#closing.signal.aborted) this.#killed.cancelled += 1;
      throw thrown;
    } finally {
      this.#release(worker);
    }
  }

  async #takeWorker(ownerId: string): Promise<Worker> {
    const { start } = this.#deps;
    for (let worker = this.#takeIdle(ownerId); worker !== null; worker = this.#takeIdle(ownerId)) {
      worker.cancelIdle();
      if (worker.process.isAlive()) return Object.assign(worker, { ownerId });
    }
    this.#makeRoom();
    // One that ended while it started may have been killed from outside, like one that runs a script.
    const started = start().catch((thrown) => {
      if (this.#closing.signal.aborted) throw thrown;
      return start();
    });
    const done = started.then(noop, noop).finally(() => this.#starting.delete(done));
    this.#starting.add(done);
    return { process: await started, ownerId, runs: 0, cancelIdle: noop };
  }

  /** Takes the idle process that was used last. */
  #takeIdle(ownerId: string): Worker | null {
    const { isPerOwner = false } = this.#deps;
    const at = this.#idle.findLastIndex((worker) => !isPerOwner || worker.ownerId === ownerId);
    return this.#idle.splice(at, at === -1 ? 0 : 1)[0] ?? null;
  }

  /** Ends idle processes of other owners, so that there are never more than may work at once. */
  #makeRoom(): void {
    const others = this.#busy.size + this.#starting.size;
    while (this.#idle.length > 0 && this.#idle.length + others >= this.#processesMax) {
      const oldest = this.#idle.shift();
      if (oldest === undefined) return;
      oldest.cancelIdle();
      this.#end(oldest);
    }
  }

  #release(worker: Worker): void {
    this.#busy.delete(worker);
    if (!worker.process.isAlive()) return;
    if (this.#closing.signal.aborted || worker.runs >= runsMax) {
      this.#end(worker);
      return;
    }
    const { timers, idleMs = 30_000 } = this.#deps;
    this.#idle.push(worker);
    worker.cancelIdle = timers.after(idleMs, () => {
      this.#idle = this.#idle.filter((other) => other !== worker);
      this.#end(worker);
    });
  }

  #end({ process }: Worker): void {
    const ended = process.kill().finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }
}

/** Processor time is time, too. */
function toKillReason(reason: "timeout" | "memory" | "computing"): CodeKillReason {
  return reason === "computing" ? "timeout" : reason;
}

function noop(): void {}
