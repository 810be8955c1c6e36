import { readNumber } from "../render/read-number.ts";
import {
  chargeSteps,
  checkTextLength,
  fail,
  type RenderContext,
} from "../render/render-context.ts";
import { nameKind, toKind, type Value } from "../render/template-values.ts";
import type { TemplateFunction } from "./define-function.ts";
import { formatLayout } from "./layout.ts";
import { takeChangedText } from "./take-argument.ts";

/** Times are texts of ISO 8601 in UTC with milliseconds, so that they compare as text. */
export const timeFunctions = {
  now: {
    args: [0, 0],
    call: (ctx) => {
      chargeSteps(ctx, timeSteps);
      return new Date(ctx.now).toISOString();
    },
  },
  time: {
    args: [1, 2],
    call: (ctx, args) => {
      const offsetMs = args.length === 1 ? 0 : readDuration(ctx, args[0]);
      return toTimeText(ctx, readTime(ctx, "time", args.at(-1)) + offsetMs);
    },
  },
  date: {
    args: [2, 3],
    call: (ctx, args) => {
      const layout = takeChangedText(ctx, "date", args[0]);
      if (layout.length > layoutCharsMax) {
        throw fail(ctx, `The layout of "date" has more than ${layoutCharsMax} characters.`);
      }
      const zone = args.length === 2 ? "UTC" : takeChangedText(ctx, "date", args[1]);
      const ms = readTime(ctx, "date", args.at(-1));
      chargeSteps(ctx, zone === "UTC" ? 20 : zoneSteps);
      const local = findZoneTime(zone, ms);
      if (local === null) {
        throw fail(ctx, `"${zone}" is not a time zone. Use a name such as "Europe/Berlin".`);
      }
      const text = formatLayout(layout, local);
      checkTextLength(ctx, text.length);
      return text;
    },
  },
} satisfies Record<string, TemplateFunction>;

const layoutCharsMax = 1000;

/** Reading or writing a time takes about as long as some steps. */
const timeSteps = 8;

/** Making the formatter of a zone takes about as long as a thousand steps. */
const zoneSteps = 1000;

const timePattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** A time in milliseconds: ISO 8601 with an offset, a date (its beginning in UTC), or Unix seconds. */
function readTime(ctx: RenderContext, name: string, value: Value): number {
  chargeSteps(ctx, timeSteps);
  if (toKind(value) === "number")
    return checkTime(ctx, Math.round((readNumber(ctx, value) ?? 0) * 1000));
  if (typeof value !== "string") {
    throw fail(
      ctx,
      `"${name}" needs a time as text or as Unix seconds; this is ${nameKind(value)}.`,
    );
  }
  const text = value.length > 64 ? "" : takeChangedText(ctx, name, value).trim();
  if (/^-?\d{1,15}(?:\.\d{1,9})?$/.test(text))
    return checkTime(ctx, Math.round(Number(text) * 1000));
  const match = timePattern.exec(text);
  if (match === null) throw notATime(ctx, name);
  const [, year, month, day, hour, minute = "00", second = "00", fraction = "", offset] = match;
  if (hour !== undefined && offset === undefined) {
    throw fail(
      ctx,
      `The time of "${name}" has no offset. Add "Z" for UTC, or one such as "+02:00".`,
    );
  }
  const ms = Math.floor(Number(`0.${fraction || "0"}`) * 1000 + 1e-7);
  const date = `${year}-${month}-${day}T${hour ?? "00"}:${minute}:${second}`;
  const utc = Date.parse(`${date}.${String(ms).padStart(3, "0")}Z`);
  // A day that the month does not have becomes another day, or no time.
  if (Number.isNaN(utc) || !new Date(utc).toISOString().startsWith(date)) throw notATime(ctx, name);
  return checkTime(ctx, utc - readOffset(offset));
}

function readOffset(offset = "Z"): number {
  const match = /^([+-])(\d{2}):?(\d{2})?$/.exec(offset);
  if (match === null) return 0;
  const [, sign, hours, minutes = "0"] = match;
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A duration such as `1h30m`, `-24h` or `7d` in milliseconds. */
function readDuration(ctx: RenderContext, value: Value): number {
  const text = typeof value === "string" && value.length <= 64 ? value.trim() : "";
  if (!/^[+-]?(?:\d+(?:\.\d+)?(?:ms|[smhd]))+$/.test(text)) {
    throw fail(ctx, 'The first value of "time" is a duration, such as "1h30m", "-24h" or "7d".');
  }
  let ms = 0;
  for (const [, count, unit = ""] of text.matchAll(/(\d+(?:\.\d+)?)(ms|[smhd])/g)) {
    ms += Number(count) * (unitMs[unit] ?? 0);
  }
  return text.startsWith("-") ? -Math.round(ms) : Math.round(ms);
}

const firstTime = Date.parse("0000-01-01T00:00:00Z");
const lastTime = Date.parse("9999-12-31T23:59:59.999Z");

/** Times have four digits of the year, so that texts of times compare. */
function checkTime(ctx: RenderContext, ms: number): number {
  if (ms >= firstTime && ms <= lastTime) return ms;
  throw fail(ctx, "The time is not between the years 0 and 9999.");
}

function toTimeText(ctx: RenderContext, ms: number): string {
  return new Date(checkTime(ctx, ms)).toISOString();
}

function notATime(ctx: RenderContext, name: string): Error {
  return fail(
    ctx,
    `"${name}" cannot read the time. Use ISO 8601, such as "2026-01-31T09:30:00Z", or Unix seconds.`,
  );
}

/** A time in a zone: its fields as those of a UTC time, and the offset. Null for no zone. */
function findZoneTime(zone: string, ms: number) {
  if (zone === "UTC") return { local: new Date(ms), offsetMinutes: 0, zoneName: "UTC" };
  try {
    const format = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      era: "short",
      timeZoneName: "short",
    });
    const parts = Object.fromEntries(
      format.formatToParts(ms).map(({ type, value }) => [type, value]),
    );
    const year = parts.era === "BC" ? 1 - Number(parts.year) : Number(parts.year);
    const local = new Date(0);
    local.setUTCFullYear(year, Number(parts.month) - 1, Number(parts.day));
    local.setUTCHours(Number(parts.hour), Number(parts.minute), Number(parts.second));
    local.setUTCMilliseconds(new Date(ms).getUTCMilliseconds());
    const offsetMinutes = Math.round((local.getTime() - ms) / 60_000);
    return { local, offsetMinutes, zoneName: parts.timeZoneName ?? zone };
  } catch (thrown) {
    if (thrown instanceof RangeError) return null;
    throw thrown;
  }
}
