import type { Json } from "@hub/connector";
import type { StepFlag, StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import type { RunFailure } from "../walk/run-failure.ts";
import type { WalkContext } from "../walk/walk-state.ts";
import type { StepFailure } from "./step-failure.ts";

/** A step that starts now. */
export function newStep({ deps, state }: WalkContext, nodeId: string, item = -1): StepRecord {
  return {
    nodeId,
    item,
    position: state.position,
    state: "running",
    tries: 1,
    startedAt: deps.now(),
    endedAt: null,
    wakeAt: null,
    caseName: null,
    callRunId: null,
    childRunId: null,
    error: null,
    warnings: null,
    input: null,
    output: null,
    flags: null,
  };
}

/** Adds a flag to a step that is in progress. */
export function addFlag(step: StepRecord, flag: StepFlag): void {
  step.flags = JSON.stringify([...readFlags(step), flag]);
}

export function readFlags({ flags }: Pick<StepRecord, "flags">): StepFlag[] {
  return flags === null ? [] : JSON.parse(flags);
}

/** The step as it ends now. */
export function endStep(
  { deps }: WalkContext,
  step: StepRecord,
  state: "succeeded" | "failed" | "cancelled" | "unknown" | "skipped",
): StepRecord {
  return { ...step, state, endedAt: deps.now(), wakeAt: null };
}

/** The step with its position in the order of the run. */
export function withPosition({ state }: WalkContext, step: StepRecord): StepRecord {
  const position = state.position++;
  return { ...step, position };
}

export function addWarnings(step: StepRecord, more: readonly string[]): StepRecord {
  if (more.length === 0) return step;
  const known: string[] = step.warnings === null ? [] : JSON.parse(step.warnings);
  return { ...step, warnings: JSON.stringify([...known, ...more]) };
}

/** What later nodes read of a failed node. */
export function toErrorOutput({ message, code }: StepFailure): Json {
  return { error: message, code };
}

export function toErrorText({ start }: WalkContext, { code, message }: StepFailure): string {
  return JSON.stringify({ code, message: start.sealer.sealMessage(message) });
}

/** The failure of a step that was committed before the run could end. */
export function readFailure({ error }: Pick<StepRecord, "error">): StepFailure {
  const unknown = { code: "internal", message: "The step failed." };
  const stored: Partial<typeof unknown> = error === null ? unknown : JSON.parse(error);
  const facts = { httpStatus: null, retryAfterMs: null, isUnsent: false, cause: null };
  return { ...unknown, ...stored, ...facts };
}

export function toRunFailure(
  { start }: WalkContext,
  nodeId: string | null,
  { message, code }: StepFailure,
): RunFailure {
  const { severity } = start.plan.body.settings;
  return { nodeId, message: start.sealer.sealMessage(message), code, severity };
}
