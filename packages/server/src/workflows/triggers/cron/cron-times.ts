import { Cron } from "croner";
import { readTimeFields } from "../../explain/parse-schedule.ts";
import { createZoneClock } from "./zone-clock.ts";

/** The times of a schedule, in epoch ms. */
export type CronTimes = {
  timezone: string;
  /** The first tick after a time; null if there is none. */
  findNext(after: number): number | null;
  /** The last tick up to a time; null if there is none. */
  findLast(upTo: number): number | null;
};

/**
 * Throws if the schedule or the time zone is not valid. Keeps no parsed schedule: each takes 80 KiB of
 * memory, and parsing one takes a fraction of a millisecond.
 */
export function createCronTimes(schedule: string, timezone: string): CronTimes {
  parse(schedule, timezone);
  createZoneClock(timezone);
  return {
    timezone,
    ...(hasFixedTimes(schedule)
      ? findFixedTimes(schedule, timezone)
      : findEachTime(schedule, timezone)),
  };
}

const parse = (schedule: string, timezone: string) =>
  new Cron(schedule, { mode: "6-part", paused: true, timezone });

/** Whether a schedule names times of the day, instead of every hour, every minute or every second. */
function hasFixedTimes(schedule: string): boolean {
  const { second, minute, hour } = readTimeFields(schedule);
  return second.length < 60 && minute.length < 60 && hour.length < 24;
}

type Finders = Pick<CronTimes, "findNext" | "findLast">;

/** A tick for each time that the clock shows what the schedule names. */
function findEachTime(schedule: string, timezone: string): Finders {
  return {
    findNext: (after) => parse(schedule, timezone).nextRun(new Date(after))?.getTime() ?? null,
    findLast(upTo) {
      // Ticks are whole seconds, and the reference is not included.
      const found = parse(schedule, timezone).previousRuns(2, new Date(upTo + 1000));
      return found.map((date) => date.getTime()).find((time) => time <= upTo) ?? null;
    },
  };
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * One tick for each local time that the schedule names. Local times are found in UTC, where no time is skipped or
 * repeated, and converted one by one.
 */
function findFixedTimes(schedule: string, timezone: string): Finders {
  return {
    findNext(after) {
      const [cron, clock] = [parse(schedule, "UTC"), createZoneClock(timezone)];
      let local = clock.toReached(after);
      for (;;) {
        const next = cron.nextRun(new Date(local))?.getTime();
        if (next === undefined) return null;
        const at = clock.toInstant(next);
        if (at !== null && at > after) return at;
        local = at === null ? toDay(next) + dayMs - 1000 : next;
      }
    },
    findLast(upTo) {
      const [cron, clock] = [parse(schedule, "UTC"), createZoneClock(timezone)];
      let before = Math.floor(clock.toReached(upTo) / 1000) * 1000 + 1000;
      for (;;) {
        const last = cron.previousRuns(1, new Date(before))[0]?.getTime();
        if (last === undefined) return null;
        const at = clock.toInstant(last);
        if (at !== null && at <= upTo) return at;
        before = at === null ? toDay(last) : last;
      }
    },
  };
}

const toDay = (local: number) => Math.floor(local / dayMs) * dayMs;

/** A time in a time zone, such as `2026-01-31T10:00:00+01:00`. */
export function toLocalTime(time: number, timezone: string): string {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    timeZoneName: "longOffset",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  const part = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const offset = part.get("timeZoneName")?.replace("GMT", "") || "+00:00";
  const date = `${part.get("year")}-${part.get("month")}-${part.get("day")}`;
  return `${date}T${part.get("hour")}:${part.get("minute")}:${part.get("second")}${offset}`;
}
