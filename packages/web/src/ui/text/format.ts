const units = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "long",
  hourCycle: "h23",
});
const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/** "3 minutes ago", "yesterday", "in 2 days". Below a minute "just now". */
export function formatAgo(at: string, now: number): string {
  const sinceMs = Date.parse(at) - now;
  const unit = units.find(([, ms]) => Math.abs(sinceMs) >= ms);
  if (unit === undefined) return "just now";
  const [name, ms] = unit;
  return relative.format(Math.trunc(sinceMs / ms), name);
}

export function formatExact(at: string): string {
  return exact.format(new Date(at));
}

/** 12,345.6 */
export function formatNumber(value: number): string {
  return grouped.format(value);
}

/** "850 ms", "1.2 s", "3 min". */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${grouped.format(Math.round(ms))} ms`;
  if (ms < 120_000) return `${grouped.format(ms / 1000)} s`;
  return `${grouped.format(Math.round(ms / 60_000))} min`;
}
