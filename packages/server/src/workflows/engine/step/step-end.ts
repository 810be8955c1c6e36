import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import type { StepOutcome } from "./open-step.ts";
import type { StepFailure } from "./step-failure.ts";

/** How a step ended, before its end is stored. */
export type StepEnd = { step: StepRecord } & (
  | { kind: "outcome"; outcome: StepOutcome }
  | { kind: "failed"; failure: StepFailure }
  | { kind: "unsure"; failure: StepFailure }
);
