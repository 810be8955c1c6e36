import { expect, test } from "bun:test";
import { Cron } from "croner";
import fc from "fast-check";
import { amount } from "../../lib/testing/amount.ts";
import { describeSchedule } from "./describe-schedule.ts";
import { parseSchedule, type ScheduleFields } from "./parse-schedule.ts";

test.each([
  ["0 0 9 * * 1-5", "Every weekday at 09:00"],
  ["0 0 9 * * MON-FRI", "Every weekday at 09:00"],
  ["0 30 7 * * *", "Every day at 07:30"],
  ["0 */5 * * * *", "Every 5 minutes"],
  ["0 */7 * * * *", "Every 7 minutes, counted from the start of each hour"],
  ["*/10 * * * * *", "Every 10 seconds"],
  ["* * * * * *", "Every second"],
  ["0 * * * * *", "Every minute"],
  ["0 0 * * * *", "Every hour"],
  ["0 15 * * * *", "At minute 15 of every hour"],
  ["0 */15 9-17 * * 1-5", "Every 15 minutes from 09:00 to 17:59, on every weekday"],
  ["0 0 8,20 * * *", "Every day at 08:00 and 20:00"],
  ["0 0 0 1 * *", "At 00:00 on the 1st of every month"],
  ["0 0 6 L * *", "At 06:00 on the last day of every month"],
  ["0 0 6 LW * *", "At 06:00 on the last weekday of every month"],
  ["0 0 6 15W * *", "At 06:00 on the weekday that is nearest to the 15th of every month"],
  ["0 0 9 * * MON#2", "At 09:00 on the 2nd Monday of the month"],
  ["0 0 9 * 1,7 FRI#L", "At 09:00 on the last Friday of the month in January and July"],
  ["0 0 9 1 * MON", "At 09:00 on the 1st of every month, and also on every Monday"],
  ["0 0 9 13 * +FRI", "At 09:00 on the 13th of every month, if it is a Friday"],
  ["0 0 12 * 6-8 SAT,SUN", "Every Saturday and Sunday in June to August at 12:00"],
  ["30 15 4 * * *", "Every day at 04:15:30"],
  ["0 0 0 31 12 *", "At 00:00 on the 31st of December"],
])("The schedule %s is: %s", (schedule, words) => {
  expect(describeSchedule(schedule)).toBe(words);
});

test.each([
  "",
  "0 0 9 * *",
  "0 0 25 * * *",
  "@daily",
  "0 0 0 30 2 *",
])("The schedule %j cannot be described", (schedule) =>
  expect(describeSchedule(schedule)).toBeNull());

/** Whether a day matches, by the fields alone. */
function matchesDay({ day, month, weekday, isBoth }: ScheduleFields, date: Date): boolean {
  if (!month.values.includes(date.getUTCMonth() + 1)) return false;
  const number = date.getUTCDate();
  const last = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const ofMonth = day.values.includes(number) || (day.isLast && number === last);
  const ofWeek = weekday.days.some(({ day: one, nth }) => {
    if (one !== date.getUTCDay()) return false;
    return (
      nth?.some((place) =>
        place === "last" ? number + 7 > last : Math.ceil(number / 7) === place,
      ) ?? true
    );
  });
  if (day.isAny) return weekday.isAny || ofWeek;
  if (weekday.isAny) return ofMonth;
  return isBoth ? ofMonth && ofWeek : ofMonth || ofWeek;
}

const part = (min: number, max: number) =>
  fc.oneof(
    fc.integer({ min, max }).map(String),
    fc
      .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
      .map(([one, other]) => [Math.min(one, other), Math.max(one, other)].join("-")),
    fc.integer({ min: 1, max: max - min }).map((step) => `*/${step}`),
  );
const field = (min: number, max: number) =>
  fc.oneof(fc.constant("*"), fc.array(part(min, max), { minLength: 1, maxLength: 3 }).map(String));
const names = ["sun", "MON", "tue", "fri-sat", "mon#2", "5L", "0-7", "fri-sun", "?"];

test("The fields match the ticks of the scheduler", () => {
  const schedules = fc.tuple(
    field(0, 59),
    field(0, 59),
    field(0, 23),
    fc.oneof(field(1, 31), fc.constantFrom("L", "15,L")),
    fc.oneof(field(1, 12), fc.constantFrom("jan", "MAR-jun")),
    fc.oneof(field(0, 7), fc.constantFrom(...names, "+mon", "+1-5")),
  );
  fc.assert(
    fc.property(schedules, (parts) => {
      const schedule = parts.join(" ");
      const fields = parseSchedule(schedule);
      if (fields === null) return;
      const cron = new Cron(schedule, { mode: "6-part", paused: true, timezone: "UTC" });
      const ticks = cron.nextRuns(20, new Date(Date.UTC(2027, 0, 1)));
      let at = Date.UTC(2027, 0, 1);
      for (const tick of ticks) {
        expect(fields.second.values).toContain(tick.getUTCSeconds());
        expect(fields.minute.values).toContain(tick.getUTCMinutes());
        expect(fields.hour.values).toContain(tick.getUTCHours());
        expect([schedule, tick, matchesDay(fields, tick)]).toEqual([schedule, tick, true]);
        // No day between two ticks matches.
        const day = Math.floor(tick.getTime() / 86_400_000) * 86_400_000;
        for (at = at + 86_400_000; at < day; at += 86_400_000) {
          expect([schedule, at, matchesDay(fields, new Date(at))]).toEqual([schedule, at, false]);
        }
        at = day;
      }
    }),
    { numRuns: amount(50, 150) },
  );
});
