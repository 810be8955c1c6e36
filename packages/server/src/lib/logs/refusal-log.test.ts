import { expect, test } from "bun:test";
import { createManualTimers } from "../time/manual-timers.ts";
import { createRefusalLog } from "./refusal-log.ts";

function open() {
  const timers = createManualTimers();
  const lines: unknown[] = [];
  const counted: string[] = [];
  const log = { warn: (fields: unknown) => lines.push(fields) };
  const metrics = { countRefusal: (code: string) => void counted.push(code) };
  return { timers, lines, counted, refusals: createRefusalLog({ log, timers, metrics }) };
}

test("Every refusal is counted by its code", () => {
  const { refusals, counted } = open();
  refusals.record("unauthorized");
  refusals.record("unauthorized");
  refusals.record("parse_error");
  expect(counted).toEqual(["unauthorized", "unauthorized", "parse_error"]);
});

test("The first refusal of a code is logged, then one line per minute", () => {
  const { refusals, lines, timers } = open();
  for (let second = 0; second < 150; second += 1) {
    refusals.record("unauthorized");
    timers.advance(1000);
  }
  expect(lines).toEqual([
    { code: "unauthorized", refused: 1 },
    { code: "unauthorized", refused: 60 },
    { code: "unauthorized", refused: 60 },
  ]);
});
