/** Protects: a flood of progress is not searched for secrets report by report. */
import { expect, test } from "bun:test";
import { limitProgress } from "./limit-progress.ts";

function open() {
  let time = 1_000_000;
  const passed: number[] = [];
  const limited = limitProgress({ now: () => time }, (done) => void passed.push(done));
  return {
    ...limited,
    passed,
    wait(ms: number) {
      time += ms;
    },
  };
}

test("Of 10,000 reports 20 pass at once, and the last one at the end", () => {
  const { report, flush, passed } = open();
  for (let done = 1; done <= 10_000; done += 1) report(done);
  expect(passed).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  flush();
  flush();
  expect(passed.slice(20)).toEqual([10_000]);
});

test("Then ten reports a second pass", () => {
  const { report, passed, wait } = open();
  for (let done = 1; done <= 10_000; done += 1) {
    report(done);
    wait(1);
  }
  expect(passed.length).toBeGreaterThan(110);
  expect(passed.length).toBeLessThanOrEqual(121);
});

test("Reports at a usual pace all pass", () => {
  const { report, passed, wait } = open();
  for (let done = 1; done <= 100; done += 1) {
    report(done);
    wait(100);
  }
  expect(passed).toHaveLength(100);
});
