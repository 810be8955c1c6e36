import { HubError } from "../../errors.ts";
import { createZoneClock } from "./cron/zone-clock.ts";

/**
 * ISO 8601, such as `2026-01-31T09:00:00+01:00` or in its basic form `20260131T090000+0100`. The seconds and the offset
 * may be missing.
 */
const isoTime =
  /^(\d{4})(?:-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?|(\d\d)(\d\d)[Tt](\d\d)(\d\d)(?:(\d\d)(?:[.,](\d{1,9}))?)?)(?:([Zz])|([+-])(\d\d)(?::?(\d\d))?)?$/;

/** Unix seconds after this are milliseconds by mistake: the year 5138. */
const unixSecondsMax = 100_000_000_000;

/**
 * Reads a time that a workflow names: ISO 8601, or Unix seconds. A time without an offset is of `timezone`, as a fixed
 * time of cron: in an hour that is repeated it is the first one, and in an hour that is skipped the end of that hour.
 * Without `timezone`, it is refused. Returns epoch ms. Throws `invalid_params`, with `name` for the field.
 */
export function parseIsoTime(value: unknown, name: string, timezone?: string): number {
  if (typeof value === "number") return fromUnix(value) ?? refuse(name, timezone);
  const text = typeof value === "string" ? value.trim() : "";
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) {
    return fromUnix(Number(text)) ?? refuse(name, timezone);
  }
  const found = readIso(text);
  if (found === null) return refuse(name, timezone);
  const { local, offsetMs } = found;
  if (offsetMs !== null) return local - offsetMs;
  if (timezone === undefined) {
    throw new HubError(
      "invalid_params",
      `${name} has no offset. Add Z or an offset, such as in 2026-01-31T09:00:00+01:00.`,
    );
  }
  const at = createZoneClock(timezone).toInstant(local);
  if (at !== null) return at;
  throw new HubError("invalid_params", `${name} is on a day that ${timezone} does not have.`);
}

function refuse(name: string, timezone: string | undefined): never {
  const offset = timezone === undefined ? " with an offset" : "";
  throw new HubError(
    "invalid_params",
    `${name} is not a time. Use ISO 8601${offset}, such as 2026-01-31T09:00:00Z, or Unix seconds.`,
  );
}

/** The time as if it were UTC, and its offset; null for a text that is no time. */
function readIso(text: string): { local: number; offsetMs: number | null } | null {
  const [, year, ...rest] = isoTime.exec(text) ?? [];
  if (year === undefined) return null;
  const [fields, [zulu, sign, hours, minutes = "0"]] = [
    rest[0] === undefined ? rest.slice(6, 12) : rest.slice(0, 6),
    rest.slice(12),
  ];
  const [month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields
    .slice(0, 5)
    .map((field) => Number(field ?? 0));
  const ms = Math.floor(Number(`0.${fields[5] ?? 0}`) * 1000);
  const date = new Date(Date.UTC(Number(year), month - 1, day));
  const isDay = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  const isMidnight = hour === 24 && minute === 0 && second === 0 && ms === 0;
  if (!isDay || minute > 59 || second > 59 || (hour > 23 && !isMidnight)) return null;
  const local = date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + ms;
  if (zulu !== undefined) return { local, offsetMs: 0 };
  if (sign === undefined) return { local, offsetMs: null };
  const [ahead, past] = [Number(hours), Number(minutes)];
  if (ahead > 23 || past > 59) return null;
  return { local, offsetMs: (sign === "-" ? -1 : 1) * (ahead * 60 + past) * 60_000 };
}

function fromUnix(seconds: number): number | null {
  return seconds >= 0 && seconds < unixSecondsMax ? Math.round(seconds * 1000) : null;
}
