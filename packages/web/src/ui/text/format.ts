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
const short = new Intl.DateTimeFormat("en", {
  month: "short",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  hourCycle: "h23",
});
const shortWithYear = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "short",
  hourCycle: "h23",
});
const byteUnits = ["B", "KiB", "MiB", "GiB", "TiB"] as const;
const share = new Intl.NumberFormat("en", { style: "percent", maximumFractionDigits: 1 });
const grouped = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });

/**
 * "3 minutes ago", "yesterday", "in 2 days". Below a minute "just now". What is to come is rounded, so
 * that a token made for 90 days expires "in 3 months" and not "in 2 months" a second later.
 */
export function formatAgo(at: string, now: number): string {
  const sinceMs = Date.parse(at) - now;
  const unit = units.find(([, ms]) => Math.abs(sinceMs) >= ms);
  if (unit === undefined) return "just now";
  const [name, ms] = unit;
  const round = sinceMs > 0 ? Math.round : Math.trunc;
  return relative.format(round(sinceMs / ms), name);
}

export function formatExact(at: string): string {
  return exact.format(new Date(at));
}

/** "Nov 28, 11:52:10", with the year if it is another one. In the zone of the browser. */
export function formatShort(at: string): string {
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date().getFullYear();
  return (isThisYear ? short : shortWithYear).format(date);
}

/** "1 MiB", "2.5 GiB", "850 B": the largest unit of which there is at least one. */
export function formatBytes(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${grouped.format(bytes / 1024 ** power)} ${byteUnits[power]}`;
}

/** "2.5%" of a part of 1. */
export function formatShare(part: number): string {
  return share.format(part);
}

/** 12,345.6 */
export function formatNumber(value: number): string {
  return grouped.format(value);
}

const spans = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** "45 seconds", "2 minutes", "30 days": in the largest unit of which it is a whole number. */
export function formatSpan(seconds: number): string {
  const [name, size] = spans.find((one) => seconds >= one[1] && seconds % one[1] === 0) ?? [
    "second",
    1,
  ];
  return formatCount(seconds / size, name);
}

/** "1 row", "2,000 rows". */
export function formatCount(count: number, thing: string): string {
  return `${grouped.format(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** "850 ms", "1.2 s", "3 min". */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${grouped.format(Math.round(ms))} ms`;
  if (ms < 120_000) return `${grouped.format(ms / 1000)} s`;
  return `${grouped.format(Math.round(ms / 60_000))} min`;
}
