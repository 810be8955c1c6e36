import { type Json, toJsonText } from "@hub/connector";
import { errorCase } from "@hub/contract/workflow-cases.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { WorkflowDecision } from "@hub/contract/workflow-run.ts";
import { HubError } from "../../../errors.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import type { StepMark } from "../../../store/workflow-runs/workflow-steps.ts";
import { toPinnedOutcome } from "../../engine/dry-run/pinned-outcome.ts";

type Decided = { node: WorkflowNode; mark: StepMark; input: string | null; by: string; at: number };

/** The step as a person says that it ended. Null for a step that runs again. */
export function decideStep(
  { node, mark, input, by, at }: Decided,
  { decision, output = null }: WorkflowDecision,
): StepRecord | null {
  if (decision === "repeat") return null;
  const said = `${by} decided that this step ${decision === "failed" ? "failed" : "succeeded"}.`;
  const step: StepRecord = {
    ...mark,
    state: decision,
    endedAt: at,
    wakeAt: null,
    error: null,
    caseName: null,
    input,
    output: null,
    warnings: JSON.stringify([said]),
    flags: JSON.stringify(["decided"]),
  };
  if (decision === "succeeded") {
    // It was read from JSON.
    const given = output as Json;
    const ended = mark.item < 0 ? toPinnedOutcome(node, given) : { output: given };
    const caseName = "caseName" in ended ? (ended.caseName ?? null) : null;
    return { ...step, output: toJsonText(ended.output), caseName };
  }
  const failure = { code: "run_failed", message: said };
  const goesOn = node.on_error !== "fail";
  return {
    ...step,
    error: JSON.stringify(failure),
    output: goesOn ? JSON.stringify({ error: said, code: failure.code }) : null,
    caseName: node.on_error === "route" && mark.item < 0 ? errorCase : null,
  };
}

/** Throws for a decision about a step that cannot be decided here. */
export function checkDecidable({ type, id }: WorkflowNode): void {
  if (type !== "approval") return;
  throw new HubError(
    "bad_request",
    `The node "${id}" is an approval, which only its approvers decide.`,
  );
}
