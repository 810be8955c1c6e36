import { expect, test } from "bun:test";
import {
  type DayTimes,
  listPromisedTicks,
  walkLocalTimes,
  writeSchedule,
} from "../testing/walk-local-times.ts";
import { createCronTimes, toLocalTime } from "./cron-times.ts";

/** The ticks between two times, in local time, found forwards and backwards. */
function listTicks(schedule: string, zone: string, from: string, to: string): string[] {
  const times = createCronTimes(schedule, zone);
  const [start, end] = [Date.parse(from), Date.parse(to)];
  const forwards: number[] = [];
  for (let at = times.findNext(start); at !== null && at < end; at = times.findNext(at)) {
    forwards.push(at);
  }
  const backwards: number[] = [];
  for (let at = times.findLast(end - 1); at !== null && at > start; at = times.findLast(at - 1)) {
    backwards.unshift(at);
  }
  expect(backwards).toEqual(forwards);
  return forwards.map((at) => toLocalTime(at, zone).slice(5, 22));
}

const [autumn, spring] = [
  ["2026-10-24T20:00Z", "2026-10-25T20:00Z"],
  ["2026-03-28T20:00Z", "2026-03-29T20:00Z"],
] as const;

test.each([
  ["0 30 2,14 * * *", autumn, ["10-25T02:30:00+02", "10-25T14:30:00+01"]],
  ["0 30 2,14 * * *", spring, ["03-29T03:00:00+02", "03-29T14:30:00+02"]],
  ["0 15,30 2 * * *", autumn, ["10-25T02:15:00+02", "10-25T02:30:00+02"]],
  ["0 15,30 2 * * *", spring, ["03-29T03:00:00+02"]],
  ["0 0,30 2,3 * * *", spring, ["03-29T03:00:00+02", "03-29T03:30:00+02"]],
  [
    "0 0,30 2,3 * * *",
    autumn,
    ["10-25T02:00:00+02", "10-25T02:30:00+02", "10-25T03:00:00+01", "10-25T03:30:00+01"],
  ],
  [
    "10,20 59 1-3 * * *",
    spring,
    [10, 20]
      .map((s) => `03-29T01:59:${s}+01`)
      .concat(["03-29T03:00:00+02", "03-29T03:59:10+02", "03-29T03:59:20+02"]),
  ],
  ["0 0 1-3 * * *", autumn, ["10-25T01:00:00+02", "10-25T02:00:00+02", "10-25T03:00:00+01"]],
  ["0 */30 2 * * *", autumn, ["10-25T02:00:00+02", "10-25T02:30:00+02"]],
  ["0 */30 2 * * *", spring, ["03-29T03:00:00+02"]],
  ["0 30 2 * * SUN", spring, ["03-29T03:00:00+02"]],
  ["0 30 2 29 3,10 *", spring, ["03-29T03:00:00+02"]],
  ["0 0 0-23/8 * * *", spring, ["03-29T00:00:00+01", "03-29T08:00:00+02", "03-29T16:00:00+02"]],
])("In Berlin, %s fires once for each fixed time at a change of the clock", (schedule, [
  from,
  to,
], ticks) => {
  expect(listTicks(schedule, "Europe/Berlin", from, to)).toEqual(ticks);
});

test.each([
  ["0 0 * * * *", ["02:00:00+02", "02:00:00+01", "03:00:00+01"]],
  ["0 0 0-23 * * *", ["02:00:00+02", "02:00:00+01", "03:00:00+01"]],
  ["0 0 */1 * * *", ["02:00:00+02", "02:00:00+01", "03:00:00+01"]],
  ["0 0,30 * * * *", ["02:00:00+02", "02:30:00+02", "02:00:00+01", "02:30:00+01", "03:00:00+01"]],
])("In Berlin, %s is for every hour, so it fires in both hours", (schedule, ticks) => {
  const found = listTicks(schedule, "Europe/Berlin", "2026-10-24T23:59Z", "2026-10-25T02:01Z");
  expect(found.map((tick) => tick.slice(6))).toEqual(ticks);
});

test("A schedule for every minute of an hour fires in both, and not in the hour that is skipped", () => {
  const repeated = listTicks(
    "0 * 2 * * *",
    "Europe/Berlin",
    "2026-10-25T00:57Z",
    "2026-10-25T01:02Z",
  );
  expect(repeated.map((tick) => tick.slice(6))).toEqual([
    ...["02:58:00+02", "02:59:00+02", "02:00:00+01", "02:01:00+01"],
  ]);
  const skipped = ["2026-03-29T00:00Z", "2026-03-29T02:00Z"] as const;
  expect(listTicks("0 0-59 2 * * *", "Europe/Berlin", ...skipped)).toEqual([]);
});

test.each([
  // Half an hour is skipped and repeated.
  [
    "0 15 2,14 * * *",
    "Australia/Lord_Howe",
    "2026-10-03T12:00Z",
    ["10-04T02:30:00+11", "10-04T14:15:00+11"],
  ],
  [
    "0 45 1,14 * * *",
    "Australia/Lord_Howe",
    "2026-04-04T12:00Z",
    ["04-05T01:45:00+11", "04-05T14:45:00+10"],
  ],
  // Midnight is skipped, and the hour before it repeated.
  [
    "0 0,30 0,12 * * *",
    "America/Santiago",
    "2026-09-06T03:00Z",
    ["09-06T01:00:00-03", "09-06T12:00:00-03", "09-06T12:30:00-03"],
  ],
  [
    "0 30 12,23 * * *",
    "America/Santiago",
    "2026-04-04T14:00Z",
    ["04-04T12:30:00-03", "04-04T23:30:00-03"],
  ],
  [
    "0 0 0,12 * * *",
    "Asia/Beirut",
    "2026-03-28T12:00Z",
    ["03-29T01:00:00+03", "03-29T12:00:00+03"],
  ],
  // The last hour of a day is skipped: it is over when the next day begins.
  [
    "0 30 22,23 * * *",
    "America/Nuuk",
    "2026-03-28T12:00Z",
    ["03-28T22:30:00-02", "03-29T00:00:00-01"],
  ],
  [
    "0 0,30 23,0 * * *",
    "America/Nuuk",
    "2026-03-29T00:30Z",
    ["03-29T00:00:00-01", "03-29T00:30:00-01", "03-29T23:00:00-01"],
  ],
  // A whole day does not exist.
  ["0 0 9 * * *", "Pacific/Apia", "2011-12-29T00:00Z", ["12-29T09:00:00-10", "12-31T09:00:00+14"]],
  ["0 0,30 0-22 30 * *", "Pacific/Apia", "2011-12-28T12:00Z", []],
  // A zone that changed its offset for good.
  ["0 15 3 * * *", "America/Caracas", "2016-05-01T00:00Z", ["05-01T03:15:00-04"]],
  // Two hours.
  ["0 30 1,2 * * *", "Antarctica/Troll", "2026-03-28T12:00Z", ["03-29T03:00:00+02"]],
])("%s keeps the promise in %s", (schedule, zone, from, ticks) => {
  const to = Date.parse(from) + (zone === "Pacific/Apia" ? 3 : 1) * 24 * 3_600_000;
  expect(
    listTicks(schedule, zone, from, new Date(to).toISOString()).slice(0, ticks.length || 9),
  ).toEqual(ticks);
});

test("The ticks are those that a walk over the local times finds", () => {
  const stepMs = 60_000;
  let state = 11;
  const next = (max: number) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % max;
  };
  const choose = (length: number, most: number) =>
    [...new Set(Array.from({ length: 1 + next(most) }, () => next(length)))].sort((a, b) => a - b);
  for (const [zone, change] of [
    ["Europe/Berlin", "2026-03-29T01:00Z"],
    ["Australia/Lord_Howe", "2026-04-04T15:00Z"],
    ["America/Nuuk", "2026-03-29T01:00Z"],
    ["Asia/Beirut", "2026-10-24T21:00Z"],
  ] as const) {
    const at = Date.parse(change);
    const [from, to] = [at - 3 * 3_600_000, at + 5 * 3_600_000];
    const shown = [...walkLocalTimes(zone, { from, to, stepMs })];
    const hours = shown.map(({ local }) => new Date(local).getUTCHours());
    for (let round = 0; round < 5; round += 1) {
      const times: DayTimes = {
        second: [0],
        minute: round === 0 ? Array.from({ length: 60 }, (_, value) => value) : choose(60, 3),
        hour:
          round === 1
            ? Array.from({ length: 24 }, (_, value) => value)
            : [...new Set([next(3), next(3), next(3)].map((n) => hours[n * 120 + 60] ?? 0))].sort(
                (a, b) => a - b,
              ),
      };
      const schedule = writeSchedule(times);
      const expected = listPromisedTicks(times, shown, stepMs);
      const found = createCronTimes(schedule, zone);
      const forwards: number[] = [];
      for (let time = found.findNext(from - 1); time !== null && time < to; ) {
        forwards.push(time);
        if (forwards.length > expected.length) break;
        time = found.findNext(time);
      }
      expect([zone, schedule, forwards]).toEqual([zone, schedule, expected]);
    }
  }
});
