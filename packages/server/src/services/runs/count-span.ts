const dayMs = 24 * 3_600_000;
const spanMsMax = 366 * dayMs;
/** Later times have no RFC 3339 text when they are rounded up to an hour. */
const lastMs = Date.UTC(9999, 11, 31);

/** The time that statistics are of: the last day, or the given span. All times in epoch ms. */
export function toCountSpan(
  given: { from?: number | undefined; to?: number | undefined },
  now: number,
): { from: number; to: number } {
  const clamp = (at: number) => Math.min(Math.max(at, 0), lastMs);
  const to = clamp(given.to ?? now);
  return { from: Math.max(clamp(given.from ?? to - dayMs), to - spanMsMax), to };
}
