import { parseSchedule, type ScheduleFields } from "./parse-schedule.ts";
import { toList, toOrdinal } from "./words.ts";

/**
 * A cron expression of six fields in words, such as `Every weekday at 09:00`, without its time zone. Null if the
 * expression is not valid.
 */
export function describeSchedule(schedule: string): string | null {
  const fields = parseSchedule(schedule);
  if (fields === null) return null;
  const time = describeTime(fields);
  const days = describeDays(fields);
  if (time.kind === "at") {
    if (days === null) return `Every day at ${time.text}`;
    return days.startsWith("every ")
      ? capitalize(`${days} at ${time.text}`)
      : `At ${time.text} ${days}`;
  }
  if (days === null) return capitalize(time.text);
  return capitalize(`${time.text}, ${days.replace(/^every /, "on every ")}`);
}

type Time = { kind: "at" | "each"; text: string };

/** More times of day than this are described by their fields. */
const timesMax = 6;

function describeTime({ second, minute, hour }: ScheduleFields): Time {
  const count = second.values.length * minute.values.length * hour.values.length;
  if (count <= timesMax) {
    const times = hour.values.flatMap((h) =>
      minute.values.flatMap((m) => second.values.map((s) => toClock(h, m, s))),
    );
    return { kind: "at", text: toList(times) };
  }
  return { kind: "each", text: describeEach(second.values, minute.values, hour.values) };
}

function describeEach(seconds: number[], minutes: number[], hours: number[]): string {
  const isWholeMinute = seconds.length === 1 && seconds[0] === 0;
  const isWholeHour = isWholeMinute && minutes.length === 1 && minutes[0] === 0;
  const hourPart = describeUnit("hour", hours, 24);
  if (isWholeHour) return hourPart.isEvery ? hourPart.text : `at minute 0, ${hourPart.text}`;
  const minutePart = describeUnit("minute", minutes, 60);
  const inHours =
    hours.length === 24 ? "" : ` ${hourPart.isEvery ? `in ${hourPart.text}` : hourPart.text}`;
  if (isWholeMinute) {
    const text = minutePart.isEvery ? minutePart.text : `${minutePart.text} of every hour`;
    return hours.length === 24 ? text : `${minutePart.text}${inHours}`;
  }
  const secondPart = describeUnit("second", seconds, 60);
  const inMinutes =
    minutes.length === 60 ? (secondPart.isEvery ? "" : " of every minute") : `, ${minutePart.text}`;
  return `${secondPart.text}${inMinutes}${inHours}`;
}

type Unit = { text: string; isEvery: boolean };

/** The values of one field: `every 5 minutes`, `at minutes 0 and 30`, `from 09:00 to 17:59`. */
function describeUnit(name: "second" | "minute" | "hour", values: number[], length: number): Unit {
  if (values.length === length) return { text: `every ${name}`, isEvery: true };
  const step = findStep(values, length);
  if (step !== null && step > 1) {
    // 7 does not divide 60: the last pause of each hour is shorter.
    const isEven = length % step === 0;
    const whole = name === "hour" ? "day" : name === "minute" ? "hour" : "minute";
    const rest = isEven ? "" : `, counted from the start of each ${whole}`;
    return { text: `every ${step} ${name}s${rest}`, isEvery: true };
  }
  if (name === "hour") return { text: toList(toRanges(values).map(toHours)), isEvery: false };
  const ranges = toRanges(values).map(([from, to]) =>
    from === to ? `${from}` : `${from} to ${to}`,
  );
  return {
    text: `at ${values.length === 1 ? name : `${name}s`} ${toList(ranges)}`,
    isEvery: false,
  };
}

/** `from 09:00 to 17:59`. */
function toHours([from, to]: [number, number]): string {
  return `from ${toClock(from, 0, 0)} to ${toClock(to, 59, 0)}`;
}

/** The step of values that begin at 0 and end with the unit; null if they have none. */
function findStep(values: readonly number[], length: number): number | null {
  const [first, second] = values;
  if (first !== 0 || second === undefined || values.length < 3) return null;
  const isEven = values.every((value, at) => value === at * second);
  return isEven && values.length * second >= length ? second : null;
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const months = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

/** The days, such as `every Monday in May`; null for every day. */
function describeDays({ day, month, weekday, isBoth }: ScheduleFields): string | null {
  const inMonths = describeMonths(month.values);
  const ofMonth = describeMonthDays(day);
  const ofWeek = describeWeekdays(weekday);
  if (ofMonth === null && ofWeek === null) {
    return inMonths === null ? null : `every day in ${inMonths}`;
  }
  const place = inMonths === null ? "of every month" : `of ${inMonths}`;
  const during = inMonths === null ? "" : ` in ${inMonths}`;
  if (ofMonth === null) return `${ofWeek}${during}`;
  if (ofWeek === null) return `on ${ofMonth} ${place}`;
  return isBoth
    ? `on ${ofMonth} ${place}, if it is ${ofWeek.replace(/^on /, "").replaceAll("every ", "a ").replace(" and ", " or ")}`
    : `on ${ofMonth} ${place}, and also ${ofWeek.replace(/^every /, "on every ")}${during}`;
}

function describeMonths(values: number[]): string | null {
  if (values.length === 12) return null;
  const toName = (value: number) => months[value - 1] ?? "";
  return toList(
    toRanges(values).flatMap(([from, to]) =>
      to - from > 1
        ? [`${toName(from)} to ${toName(to)}`]
        : from === to
          ? [toName(from)]
          : [toName(from), toName(to)],
    ),
  );
}

function describeMonthDays({
  isAny,
  values,
  isLast,
  isLastWeekday,
  nearest,
}: ScheduleFields["day"]) {
  if (isAny) return null;
  const texts = toRanges(values).map(([from, to]) =>
    from === to ? `the ${toOrdinal(from)}` : `the ${toOrdinal(from)} to the ${toOrdinal(to)}`,
  );
  for (const number of nearest)
    texts.push(`the weekday that is nearest to the ${toOrdinal(number)}`);
  if (isLast) texts.push("the last day");
  if (isLastWeekday) texts.push("the last weekday");
  return toList(texts);
}

function describeWeekdays({ isAny, days }: ScheduleFields["weekday"]): string | null {
  if (isAny) return null;
  const whole = days.filter(({ nth }) => nth === null).map(({ day }) => day);
  const names =
    whole.join() === "1,2,3,4,5" ? ["weekday"] : whole.map((day) => weekdays[day] ?? "");
  const texts = names.length === 0 ? [] : [`every ${toList(names)}`];
  for (const { day, nth } of days) {
    if (nth === null) continue;
    const places = nth.map((place) => (place === "last" ? "last" : toOrdinal(place)));
    texts.push(`on the ${toList(places)} ${weekdays[day]} of the month`);
  }
  return toList(texts);
}

function toRanges(values: readonly number[]): [number, number][] {
  const ranges: [number, number][] = [];
  for (const value of values) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === value - 1) last[1] = value;
    else ranges.push([value, value]);
  }
  return ranges;
}

function toClock(hour: number, minute: number, second: number): string {
  const parts = second === 0 ? [hour, minute] : [hour, minute, second];
  return parts.map((part) => String(part).padStart(2, "0")).join(":");
}

function capitalize(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}
