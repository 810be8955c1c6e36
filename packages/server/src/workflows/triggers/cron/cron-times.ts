import { Cron } from "croner";

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
  const parse = () => new Cron(schedule, { mode: "6-part", paused: true, timezone });
  parse();
  return {
    timezone,
    findNext: (after) => parse().nextRun(new Date(after))?.getTime() ?? null,
    findLast(upTo) {
      // Ticks are whole seconds, and the reference is not included.
      const found = parse().previousRuns(2, new Date(upTo + 1000));
      return found.map((date) => date.getTime()).find((time) => time <= upTo) ?? null;
    },
  };
}

/** A time in a time zone, such as `2026-01-31T10:00:00+01:00`. */
export function toLocalTime(time: number, timezone: string): string {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    hourCycle: "h23",
    timeZoneName: "longOffset",
    ...{ year: "numeric", month: "2-digit", day: "2-digit" },
    ...{ hour: "2-digit", minute: "2-digit", second: "2-digit" },
  });
  const part = new Map(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const offset = part.get("timeZoneName")?.replace("GMT", "") || "+00:00";
  const date = `${part.get("year")}-${part.get("month")}-${part.get("day")}`;
  return `${date}T${part.get("hour")}:${part.get("minute")}:${part.get("second")}${offset}`;
}
