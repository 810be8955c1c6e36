/**
 * How much a test tries: in `.ci/run` a few of each kind, in `.ci/nightly`, which sets `HUB_TEST_AMOUNT=all`, everything.
 * CONTRIBUTING.md has the rule.
 */
import process from "node:process";

/** Whether everything is tried. */
export const isWholeAmount = process.env.HUB_TEST_AMOUNT === "all";

/** The first amount, or in `.ci/nightly` the second one. */
export function amount<T>(few: T, all: T): T {
  return isWholeAmount ? all : few;
}

/** As many of these, evenly spread over the list, or in `.ci/nightly` all of them. */
export function someOf<T>(count: number, all: readonly T[]): readonly T[] {
  if (isWholeAmount || all.length <= count) return all;
  return all.filter(
    (_, at) =>
      Math.floor((at * count) / all.length) !== Math.floor(((at - 1) * count) / all.length),
  );
}
