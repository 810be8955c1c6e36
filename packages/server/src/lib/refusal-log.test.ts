import { expect, test } from "bun:test";
import { createManualTimers } from "./manual-timers.ts";
import { createRefusalLog } from "./refusal-log.ts";

function open() {
  const timers = createManualTimers();
  const lines: unknown[] = [];
  const log = { warn: (fields: unknown) => lines.push(fields) };
  return { timers, lines, refusals: createRefusalLog({ log, timers }) };
}

test("counts every refusal by its code", () => {
  const { refusals } = open();
  for (let count = 0; count < 1000; count += 1) refusals.note("unauthorized");
  refusals.note("parse_error");
  expect([...refusals.counts()]).toEqual([
    ["unauthorized", 1000],
    ["parse_error", 1],
  ]);
});

test("writes a line for the first of a code, and one a minute after that", () => {
  const { refusals, lines, timers } = open();
  for (let second = 0; second < 150; second += 1) {
    refusals.note("unauthorized");
    timers.advance(1000);
  }
  expect(lines).toEqual([
    { code: "unauthorized", refused: 1 },
    { code: "unauthorized", refused: 60 },
    { code: "unauthorized", refused: 60 },
  ]);
});
