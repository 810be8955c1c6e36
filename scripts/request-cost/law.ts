/**
 * What a request may cost. Processor time and memory are linear in what the hub receives, with these
 * constants, and no input holds the event loop for long.
 */
export const law = {
  /** Processor time of the process: a base for each request, and an amount for each MiB. */
  cpuMsBase: 60,
  cpuMsPerMiB: 400,
  /** Four times the bytes take at most this many times the processor time, beside the base. */
  growthMax: 5,
  /** Processor time of the event loop's thread while one `GET /health` waits. */
  holdMsMax: 100,
  /** Beside that, /health waits at most ten times as long as at an idle hub. */
  waitRatioMax: 10,
  /** Processor time of the event loop's thread while the request of another user waits. */
  otherMsMax: 300,
  /** Growth of the resident memory: a base, and a multiple of the bytes. */
  memoryMiBBase: 96,
  memoryPerByte: 40,
};

export type Figures = {
  bytes: number;
  requests: number;
  cpuMs: number;
  /** The longest processor time of the loop's thread in one wait of /health, and of the other user. */
  holdMs: number;
  otherMs: number;
  /** The longest wait of /health by the clock. */
  waitMs: number;
  memoryMiB: number;
  status: string;
};

type Extra = { cpuMsExtra?: number; memoryMiBExtra?: number };

const mebibyte = 1024 * 1024;

/** Lists what exceeds the law, without growth. */
export function judge(
  { bytes, requests, ...is }: Figures,
  { cpuMsExtra = 0, memoryMiBExtra = 0 }: Extra,
  idleMs: number,
): string[] {
  const mebibytes = bytes / mebibyte;
  const cpuMsMax = law.cpuMsBase * requests + cpuMsExtra + law.cpuMsPerMiB * mebibytes;
  const memoryMiBMax = law.memoryMiBBase + memoryMiBExtra + law.memoryPerByte * mebibytes;
  const waitMsMax = Math.max(law.holdMsMax, idleMs * law.waitRatioMax);
  const round = (value: number) => value.toFixed(0);
  return [
    is.cpuMs > cpuMsMax && `processor time ${round(is.cpuMs)} ms of ${round(cpuMsMax)}`,
    is.holdMs > law.holdMsMax &&
      is.waitMs > waitMsMax &&
      `event loop held for ${round(is.holdMs)} ms`,
    is.otherMs > law.otherMsMax && `another user waited for ${round(is.otherMs)} ms of the loop`,
    is.memoryMiB > memoryMiBMax && `memory ${round(is.memoryMiB)} MiB of ${round(memoryMiBMax)}`,
  ].filter((fault): fault is string => fault !== false);
}

/** The growth from a quarter of the size, or null if it is within the law. */
export function judgeGrowth(quarter: Figures, whole: Figures, extraMs = 0): string | null {
  const sizes = whole.bytes / quarter.bytes;
  const base = law.cpuMsBase * whole.requests + extraMs;
  const cpuMsMax = base + (law.growthMax / 4) * sizes * Math.max(quarter.cpuMs, 10);
  if (whole.cpuMs <= cpuMsMax) return null;
  return `processor time x${(whole.cpuMs / quarter.cpuMs).toFixed(1)} for x${sizes.toFixed(1)}`;
}
