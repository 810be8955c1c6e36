import { HubError } from "../../errors.ts";

/** ISO 8601 with an offset, such as `2026-01-31T09:00:00+01:00`. The seconds may be missing. */
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** Unix seconds after this are milliseconds by mistake: the year 5138. */
const unixSecondsMax = 100_000_000_000;

/**
 * Reads a time that a workflow names: ISO 8601 with an offset, or Unix seconds. Returns epoch ms. Throws
 * `invalid_params`, with `name` for the field.
 */
export function parseTime(value: unknown, name: string): number {
  const time = readTime(value);
  if (time !== null) return time;
  throw new HubError(
    "invalid_params",
    `${name} is not a time. Use ISO 8601 with an offset, such as 2026-01-31T09:00:00Z, or Unix seconds.`,
  );
}

function readTime(value: unknown): number | null {
  if (typeof value === "number") return fromUnix(value);
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) return fromUnix(Number(text));
  if (!isoTime.test(text)) return null;
  const time = Date.parse(text);
  return Number.isNaN(time) ? null : time;
}

function fromUnix(seconds: number): number | null {
  return seconds >= 0 && seconds < unixSecondsMax ? Math.round(seconds * 1000) : null;
}
