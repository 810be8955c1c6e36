import { describe, expect, test } from "bun:test";
import { createCronTimes, toLocalTime } from "./cron-times.ts";

const at = (text: string) => Date.parse(text);
const toText = (time: number | null) => (time === null ? null : new Date(time).toISOString());

function listNext(schedule: string, timezone: string, from: string, count: number) {
  const times = createCronTimes(schedule, timezone);
  const found: Array<string | null> = [];
  for (let time: number | null = at(from); found.length < count && time !== null; ) {
    time = times.findNext(time);
    found.push(toText(time));
  }
  return found;
}

describe("the times of a schedule", () => {
  test("The next tick is after the given time, and the last one is not", () => {
    const times = createCronTimes("*/10 * * * * *", "UTC");
    const tick = at("2026-01-01T00:00:10Z");
    expect(toText(times.findNext(tick))).toBe("2026-01-01T00:00:20.000Z");
    expect(times.findNext(tick - 1)).toBe(tick);
    expect(times.findLast(tick)).toBe(tick);
    expect(times.findLast(tick + 9_999)).toBe(tick);
    expect(toText(times.findLast(tick - 1))).toBe("2026-01-01T00:00:00.000Z");
    const each = createCronTimes("* * * * * *", "UTC");
    for (const ms of [0, 1, 999]) expect(each.findLast(tick + ms)).toBe(tick);
  });

  test("Without a further tick there is none", () => {
    const times = createCronTimes("0 0 0 30 2 *", "UTC");
    expect([times.findNext(0), times.findLast(0)]).toEqual([null, null]);
  });

  test("A tick in the hour that summer time skips fires when that hour is over, once", () => {
    expect(listNext("0 30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", 2)).toEqual([
      "2026-03-29T01:00:00.000Z",
      "2026-03-30T00:30:00.000Z",
    ]);
  });

  test("A daily tick in the hour that is repeated fires once", () => {
    expect(listNext("0 30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z", 2)).toEqual([
      "2026-10-25T00:30:00.000Z",
      "2026-10-26T01:30:00.000Z",
    ]);
  });

  test("An hourly tick fires in each hour, also in the repeated one", () => {
    expect(listNext("0 0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", 3)).toEqual([
      "2026-10-25T00:00:00.000Z",
      "2026-10-25T01:00:00.000Z",
      "2026-10-25T02:00:00.000Z",
    ]);
  });

  test("A local time has the offset of its zone and moment", () => {
    const time = at("2026-07-01T22:00:00Z");
    expect(toLocalTime(time, "Europe/Berlin")).toBe("2026-07-02T00:00:00+02:00");
    expect(toLocalTime(time, "UTC")).toBe("2026-07-01T22:00:00+00:00");
    expect(toLocalTime(time, "Asia/Kathmandu")).toBe("2026-07-02T03:45:00+05:45");
    expect(toLocalTime(at("2026-01-01T00:00:00Z"), "America/New_York")).toBe(
      "2025-12-31T19:00:00-05:00",
    );
  });
});
