import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** Reads what another process has used. Linux only. */
export type Meter = {
  /** User and system time of the process, in ticks of 10 ms. */
  cpuMs(): number;
  /** Processor time of the event loop's thread. */
  loopMs(): number;
  /** Begins to look for the peak of memory. Returns the current memory. */
  resetPeak(): number;
  peakMiB(): number;
  /** Resolves when the process has had nothing to do for a short time. */
  quiet(msMax?: number): Promise<void>;
};

export function createMeter(pid: number): Meter {
  const readStatus = (name: string) => {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1]) / 1024;
  };
  const cpuMs = () => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  };
  const isRunning = () => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith("R");
  };
  return {
    cpuMs,
    loopMs: () => readLoopMs(pid),
    resetPeak() {
      // 5 resets the peak to the current memory: proc(5).
      writeFileSync(`/proc/${pid}/clear_refs`, "5");
      return readStatus("VmRSS");
    },
    peakMiB: () => readStatus("VmHWM"),
    async quiet(msMax = 120_000) {
      const endsAt = performance.now() + msMax;
      while (performance.now() < endsAt && existsSync(`/proc/${pid}`)) {
        const before = cpuMs();
        let busy = 0;
        for (let at = 0; at < 4; at += 1) {
          await Bun.sleep(5);
          if (isRunning()) busy += 1;
        }
        // One tick, and one sample, may be the answer to a poll.
        if (busy <= 1 && cpuMs() - before <= 10) return;
      }
    },
  };
}

export function readLoopMs(pid: number): number {
  const [nanoseconds] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ");
  return Number(nanoseconds) / 1e6;
}
