export type ScriptClock = {
  /** Which limit is reached, now or before. It is called often while a script computes. */
  findOver(): "timeout" | "computing" | null;
  /** Does what is not computing. */
  wait<T>(work: () => T): T;
};

/**
 * Measures one script. `computeMs` is the processor time of this process; while it waits, it has none. Reading it
 * is dear, so it is read only after as much time has passed.
 */
export function startClock(limits: { timeoutMs: number; computeMs: number | null }): ScriptClock {
  const { timeoutMs, computeMs } = limits;
  const startMs = performance.now();
  const cpuStartMs = computeMs === null ? 0 : readCpuMs();
  let waitedMs = 0;
  let over: "timeout" | "computing" | null = null;
  const isComputedOut = (nowMs: number) =>
    computeMs !== null &&
    nowMs - startMs - waitedMs >= computeMs &&
    readCpuMs() - cpuStartMs >= computeMs;
  return {
    findOver() {
      if (over !== null) return over;
      const nowMs = performance.now();
      if (nowMs - startMs >= timeoutMs) over = "timeout";
      else if (isComputedOut(nowMs)) over = "computing";
      return over;
    },
    wait(work) {
      const fromMs = performance.now();
      try {
        return work();
      } finally {
        waitedMs += performance.now() - fromMs;
      }
    },
  };
}

function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
