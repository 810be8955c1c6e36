/** Days by the calendar of the browser. */
export const dateSpans = [
  { value: "today", label: "Today" },
  { value: "yesterday", label: "Yesterday" },
  { value: "7d", label: "Last 7 days" },
  { value: "30d", label: "Last 30 days" },
] as const;
export type DateSpan = (typeof dateSpans)[number]["value"];

export function isDateSpan(value: unknown): value is DateSpan {
  return dateSpans.some((span) => span.value === value);
}

const daysBack: Record<DateSpan, number> = { today: 0, yesterday: 1, "7d": 6, "30d": 29 };

/**
 * The times of a span: from the start of its first day, in the browser's time zone. Only yesterday has an end. They
 * stay the same until midnight, so that answers are kept.
 */
export function toSpanTimes(span: DateSpan, now: Date): { from: string; to?: string } {
  const from = toDayStart(now, daysBack[span]).toISOString();
  return span === "yesterday" ? { from, to: toDayStart(now, 0).toISOString() } : { from };
}

/** The calendar counts the days: those on which the clocks change have 23 or 25 hours. */
function toDayStart(now: Date, daysAgo: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo);
}

/** A time as an input of the browser takes it, such as `2026-11-28T09:30`; empty without a time. */
export function toLocalInput(at: string | undefined): string {
  if (at === undefined) return "";
  const time = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day}T${two(time.getHours())}:${two(time.getMinutes())}`;
}

/** The time that was typed into such an input; undefined if it is empty or incomplete. */
export function fromLocalInput(typed: string): string | undefined {
  const time = new Date(typed);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
