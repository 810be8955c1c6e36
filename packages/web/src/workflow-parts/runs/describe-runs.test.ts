import { expect, test } from "bun:test";
import type { WorkflowRunState } from "@hub/contract/workflow-run.ts";
import { describeOutcomes, describeSuccessRate } from "./describe-runs.ts";

const make = (counts: { [_ in WorkflowRunState]?: number }) =>
  Object.entries(counts).flatMap(([state, count]) =>
    // Its names are the states.
    Array.from({ length: count }, () => ({ state: state as WorkflowRunState })),
  );

test("The success rate counts the runs that succeeded or failed", () => {
  expect(describeSuccessRate(make({ succeeded: 3, failed: 1, cancelled: 5, running: 1 }))).toBe(
    "75%",
  );
  expect(describeSuccessRate(make({ succeeded: 2 }))).toBe("100%");
  expect(describeSuccessRate(make({ succeeded: 999, failed: 1 }))).toBe("99%");
  expect(describeSuccessRate(make({ dropped: 2 }))).toBe("–");
  expect(describeSuccessRate([])).toBe("–");
});

test("The outcomes of runs are said in words", () => {
  expect(describeOutcomes(make({ failed: 2, succeeded: 18, waiting: 1 }))).toBe(
    "1 waiting, 18 succeeded, 2 failed",
  );
});
