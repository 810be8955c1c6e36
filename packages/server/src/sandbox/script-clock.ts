export type ScriptLimit = "timeout" | "computing";

/**
 * Starts the time of one script. The function returns which limit is reached. `computeMs` is the processor time of this
 * process, which has none while it waits. Less than that much time cannot hold as much of it, so the system is
 * asked only then.
 */
export function startClock(limits: {
  timeoutMs: number;
  computeMs: number | null;
}): () => ScriptLimit | null {
  const { timeoutMs, computeMs } = limits;
  const startMs = performance.now();
  const cpuStartMs = computeMs === null ? 0 : readCpuMs();
  return () => {
    const spentMs = performance.now() - startMs;
    if (spentMs >= timeoutMs) return "timeout";
    if (computeMs === null || spentMs < computeMs) return null;
    return readCpuMs() - cpuStartMs >= computeMs ? "computing" : null;
  };
}

function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
