const clockOffsetMsMax = 2_000;

/** Null for a clock that agrees with the database's. */
export function describeOffset(clockOffsetMs: number): string | null {
  if (Math.abs(clockOffsetMs) <= clockOffsetMsMax) return null;
  const seconds = Math.round(Math.abs(clockOffsetMs) / 1000);
  return `${seconds} s ${clockOffsetMs > 0 ? "behind" : "ahead of"} the database's`;
}
