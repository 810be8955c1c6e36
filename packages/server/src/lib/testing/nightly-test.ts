import { describe, test } from "bun:test";
import { isWholeAmount } from "./amount.ts";

/** A test that only `.ci/nightly` runs. Others show in `.ci/run` that its subject works; CONTRIBUTING.md has the rule. */
export const nightlyTest = isWholeAmount ? test : leaveOut<typeof test>();

/** As {@link nightlyTest}, for a group of tests. */
export const nightlyDescribe = isWholeAmount ? describe : leaveOut<typeof describe>();

/** Registers nothing, so that reports have no skipped tests that were not meant to run. */
function leaveOut<T>(): T {
  const none = () => {};
  const variants = { each: () => none, skipIf: () => none };
  // The cast is safe: tests use only the call and these.
  return Object.assign(() => {}, variants, { concurrent: Object.assign(() => {}, variants) }) as T;
}
