import { replaceText } from "@hub/connector";
import { findScheduleFault } from "../validation/checks/check-schedule.ts";

/** The values at which each field of a cron expression matches, in ascending order. */
export type ScheduleFields = {
  second: { values: number[] };
  minute: { values: number[] };
  hour: { values: number[] };
  month: { values: number[] };
  day: {
    isAny: boolean;
    values: number[];
    /** `L` and `LW`: the last day of the month, and the last that is neither Saturday nor Sunday. */
    isLast: boolean;
    isLastWeekday: boolean;
    /** `15W`: the weekday that is nearest to the 15th, in the same month. */
    nearest: number[];
  };
  weekday: {
    isAny: boolean;
    /** Sunday is 0. `nth` is null for all of the month. */
    days: { day: number; nth: (number | "last")[] | null }[];
  };
  /** Whether the day of the month and the day of the week must both match, instead of one of them. */
  isBoth: boolean;
};

/** Reads a cron expression as the scheduler does. Null if it is not valid. */
export function parseSchedule(schedule: string): ScheduleFields | null {
  if (findScheduleFault(schedule) !== null) return null;
  const [, , , day = "", month = "", weekday = ""] = splitFields(schedule);
  const { second, minute, hour } = readTimeFields(schedule);
  const isBoth = weekday.startsWith("+");
  return {
    second: { values: second },
    minute: { values: minute },
    hour: { values: hour },
    month: { values: readValues(replaceNames(month, monthNames, 1), 1, 12) },
    day: readDays(day),
    weekday: readWeekdays(isBoth ? weekday.slice(1) : weekday),
    isBoth,
  };
}

/** The values of the first three fields of a valid cron expression, in ascending order. */
export function readTimeFields(schedule: string): {
  second: number[];
  minute: number[];
  hour: number[];
} {
  const [second = "", minute = "", hour = ""] = splitFields(schedule);
  return {
    second: readValues(second, 0, 59),
    minute: readValues(minute, 0, 59),
    hour: readValues(hour, 0, 23),
  };
}

function splitFields(schedule: string): string[] {
  return schedule.trim().replaceAll("?", "*").toLowerCase().split(/\s+/);
}

const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const dayNames = "sun mon tue wed thu fri sat".split(" ");

function replaceNames(field: string, names: readonly string[], first: number): string {
  return names.reduce((text, name, at) => replaceText(text, name, String(at + first)), field);
}

function readValues(field: string, min: number, max: number): number[] {
  const values = new Set<number>();
  for (const part of field.split(",")) {
    const [range = "", step = "1"] = part.split("/");
    const [from, to] = range === "*" ? [min, max] : readRange(range);
    for (let value = from; value <= to; value += Number(step)) values.add(value);
  }
  return [...values].sort((one, other) => one - other);
}

function readRange(range: string): [number, number] {
  const [from = "", to = from] = range.split("-");
  return [Number(from), Number(to)];
}

function readDays(field: string): ScheduleFields["day"] {
  const parts = field.split(",");
  const nearest = parts
    .filter((part) => /^\d+w$/.test(part))
    .map((part) => Number.parseInt(part, 10));
  const rest = parts.filter((part) => !/[lw]/.test(part));
  return {
    isAny: field === "*",
    values: rest.length === 0 ? [] : readValues(rest.join(","), 1, 31),
    isLast: parts.includes("l"),
    isLastWeekday: parts.includes("lw"),
    nearest,
  };
}

function readWeekdays(field: string): ScheduleFields["weekday"] {
  const nths = new Map<number, Set<number | "last"> | null>();
  // `-sun` is the end of a range, which begins with 0 otherwise.
  const numbers = replaceNames(field.replaceAll("-sun", "-7"), dayNames, 0);
  for (const part of numbers.split(",")) {
    const [, values = "", nth, last] = /^([^#l]*)(?:#(\d)|(#?l))?$/.exec(part) ?? [];
    for (const value of readValues(values, 0, 6)) {
      const day = value % 7;
      if (nth === undefined && last === undefined) {
        nths.set(day, null);
        continue;
      }
      const known = nths.get(day);
      if (known === null) continue;
      nths.set(day, (known ?? new Set()).add(nth === undefined ? "last" : Number(nth)));
    }
  }
  // All seven days match each day, which is not the same as `*` beside a day of the month.
  const days = [...nths].map(([day, nth]) => ({ day, nth: nth === null ? null : [...nth] }));
  // A week begins on Monday in words.
  const toWeekIndex = ({ day }: { day: number }) => (day + 6) % 7;
  return {
    isAny: field === "*",
    days: days.sort((one, other) => toWeekIndex(one) - toWeekIndex(other)),
  };
}
