import { HubError } from "../../errors.ts";
import { createFairQueue } from "../../lib/fair-queue.ts";
import type { CodeKillReason } from "../../lib/metrics.ts";
import type { Timers } from "../../lib/timers.ts";
import type { CodeProcess, CodeRequest, CodeResult } from "./open-code-process.ts";

type PoolDeps = {
  start(): Promise<CodeProcess>;
  timers: Pick<Timers, "after">;
  processesMax?: number;
  /** One owner's scripts never take all processes. */
  ownerProcessesMax?: number;
  /** How many jobs of an owner may wait, and the error of one more. No limit by default. */
  waiting?: { max: number; refuse(): Error };
  idleMs?: number;
};

/** Processes for scripts. They start when they are needed, and end when they are idle. */
export type CodePool = {
  /**
   * Runs one job when it is its turn; the owners take turns. `prepare` makes the request then, so that
   * waiting jobs hold no texts. Rejects with the reason of the signal, or if too many jobs wait.
   */
  run(
    ownerId: string,
    prepare: () => CodeRequest | Promise<CodeRequest>,
    signal: AbortSignal,
  ): Promise<CodeResult>;
  count(): CodePoolCounts;
  /** For tests. */
  list(): Array<{ pid: number; isIdle: boolean }>;
  close(): Promise<void>;
};

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

type Worker = { process: CodeProcess; runs: number; cancelIdle(): void };

export function createCodePool(deps: PoolDeps): CodePool {
  const { start, timers, processesMax = 3, ownerProcessesMax = 2, waiting } = deps;
  const { idleMs = 30_000 } = deps;
  const queue = createFairQueue({
    atOnce: { total: processesMax, owner: ownerProcessesMax },
    ...(waiting && { waiting: { max: { owner: waiting.max }, refuse: waiting.refuse } }),
  });
  const idle: Worker[] = [];
  const busy = new Set<Worker>();
  const starting = new Set<Promise<void>>();
  const ending = new Set<Promise<void>>();
  const closing = new AbortController();
  const killed = { timeout: 0, memory: 0, crash: 0, cancelled: 0 };

  async function takeWorker(): Promise<Worker> {
    for (let worker = idle.pop(); worker !== undefined; worker = idle.pop()) {
      worker.cancelIdle();
      if (worker.process.isAlive()) return worker;
    }
    // One that ended while it started may have been killed from outside, like one that runs a script.
    const started = start().catch((thrown) => {
      if (closing.signal.aborted) throw thrown;
      return start();
    });
    const done = started.then(noop, noop).finally(() => starting.delete(done));
    starting.add(done);
    return { process: await started, runs: 0, cancelIdle: noop };
  }

  function release(worker: Worker): void {
    busy.delete(worker);
    if (!worker.process.isAlive()) return;
    if (closing.signal.aborted || worker.runs >= runsMax) {
      end(worker);
      return;
    }
    idle.push(worker);
    worker.cancelIdle = timers.after(idleMs, () => {
      idle.splice(idle.indexOf(worker), 1);
      end(worker);
    });
  }

  function end({ process }: Worker): void {
    const ended = process.kill().finally(() => ending.delete(ended));
    ending.add(ended);
  }

  async function runOnce(
    prepare: () => CodeRequest | Promise<CodeRequest>,
    signal: AbortSignal,
  ): Promise<CodeResult> {
    signal.throwIfAborted();
    const request = await prepare();
    const worker = await takeWorker();
    worker.runs += 1;
    busy.add(worker);
    try {
      const result = await worker.process.run(request, signal);
      if (result.kind === "killed") killed[result.reason] += 1;
      if (result.kind === "broken") killed.crash += 1;
      return result;
    } catch (thrown) {
      if (!closing.signal.aborted) killed.cancelled += 1;
      throw thrown;
    } finally {
      release(worker);
    }
  }

  return {
    async run(ownerId, prepare, given) {
      const signal = AbortSignal.any([given, closing.signal]);
      signal.throwIfAborted();
      const leave = await queue.enter({ owner: ownerId }, signal);
      try {
        const result = await runOnce(prepare, signal);
        // A script does nothing outside, and the process may have ended for another reason.
        return result.kind === "broken" ? await runOnce(prepare, signal) : result;
      } finally {
        leave();
      }
    },
    count: () => ({
      busy: busy.size + starting.size,
      idle: idle.length,
      waiting: queue.countWaiting(),
      killed: { ...killed },
    }),
    list: () => [
      ...[...busy].map(({ process }) => ({ pid: process.pid, isIdle: false })),
      ...idle.map(({ process }) => ({ pid: process.pid, isIdle: true })),
    ],
    async close() {
      closing.abort(new HubError("cancelled", "The hub is stopping."));
      for (const worker of idle.splice(0)) {
        worker.cancelIdle();
        end(worker);
      }
      // Those that start now are ended by their jobs, whose signal has aborted.
      await Promise.all(starting);
      await Promise.all([...busy].map(({ process }) => process.kill()));
      await Promise.all(ending);
    },
  };
}

function noop(): void {}
