import { expect, test } from "bun:test";
import { createJointWork } from "./joint-work.ts";

test("Who asks while work runs gets its last step, the next ones and its result; it runs once", async () => {
  const join = createJointWork<string>();
  const gate = Promise.withResolvers<void>();
  let runs = 0;
  const work = async (onStep: (step: string) => void) => {
    runs += 1;
    onStep("one");
    await gate.promise;
    onStep("two");
    return runs;
  };
  const steps: [string[], string[]] = [[], []];
  const first = join("update tracker", (step) => steps[0].push(step), work);
  const second = join("update tracker", (step) => steps[1].push(step), work);
  gate.resolve();
  expect(await Promise.all([first, second])).toEqual([1, 1]);
  expect(steps).toEqual([
    ["one", "two"],
    ["one", "two"],
  ]);
  expect(await join("update tracker", () => {}, work)).toBe(2);
});

test("Work that fails fails for all, and the next one starts anew; other names run beside it", async () => {
  const join = createJointWork<string>();
  const fail = () => Promise.reject(new Error("no disk"));
  const outcomes = await Promise.allSettled([
    join("a", () => {}, fail),
    join("a", () => {}, fail),
    join(
      "b",
      () => {},
      async () => "done",
    ),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
  expect(
    await join(
      "a",
      () => {},
      async () => "again",
    ),
  ).toBe("again");
});
