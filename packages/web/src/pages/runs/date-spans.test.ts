import { expect, test } from "bun:test";
import { fromLocalInput, toLocalInput, toSpanTimes } from "./date-spans.ts";

const now = new Date(2026, 10, 28, 9, 30, 15);
const day = (number: number, month = 10) => new Date(2026, month, number).toISOString();

test("Spans begin and end at midnight of the browser's calendar", () => {
  expect(toSpanTimes("today", now)).toEqual({ from: day(28) });
  expect(toSpanTimes("yesterday", now)).toEqual({ from: day(27), to: day(28) });
  expect(toSpanTimes("7d", now)).toEqual({ from: day(22) });
  expect(toSpanTimes("30d", now)).toEqual({ from: day(30, 9) });
});

test("A span keeps its times for the whole day", () => {
  const later = new Date(2026, 10, 28, 23, 59, 59);
  expect(toSpanTimes("7d", later)).toEqual(toSpanTimes("7d", now));
});

test("A typed time is a time of the browser's zone, and comes back as it was typed", () => {
  const typed = "2026-11-28T09:30";
  expect(fromLocalInput(typed)).toBe(new Date(2026, 10, 28, 9, 30).toISOString());
  expect(toLocalInput(fromLocalInput(typed))).toBe(typed);
  expect([toLocalInput(undefined), fromLocalInput("")]).toEqual(["", undefined]);
});
