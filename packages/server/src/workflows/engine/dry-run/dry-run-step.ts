import { type Json, parseJson } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import type { DryRunCheck, OpenedStep, StepOutcome } from "../step/open-step.ts";
import type { StepEnd } from "../step/step-end.ts";
import { addFlag, addWarnings } from "../step/step-records.ts";
import type { WalkContext } from "../walk/walk-state.ts";
import { toPinnedOutcome } from "./pinned-outcome.ts";

/**
 * How a step ends in a dry run. A step with effects is only recorded, after the checks of a call. Its
 * output is a pinned one, else that of an earlier run, else a sample, else unknown. Null for steps that run
 * as in a live run.
 */
export async function dryRunStep(
  walk: WalkContext,
  node: WorkflowNode,
  { step, opened }: { step: StepRecord; opened: OpenedStep },
): Promise<StepEnd | null> {
  const changes = opened.changes === true;
  const pin = findPin(walk, step);
  if (pin === undefined && node.type === "wait") return await skipWait(walk, step, opened);
  const known = changes || opened.dryRun !== undefined ? await check(walk, opened) : {};
  const asks = known.asks ?? null;
  // A dry run asks people nothing, also about a call that only reads.
  const isSkipped = changes || asks !== null;
  if (pin === undefined && !isSkipped && node.type !== "approval") return null;
  if (isSkipped) addFlag(step, "would_call");
  if (asks !== null) step.warnings = addWarnings(step, [asks]).warnings;
  if (pin !== undefined) return endPinned(step, toPinnedOutcome(node, pin));
  const earlier = await findEarlierOutcome(walk, node, step);
  if (earlier !== null) return endPinned(step, earlier);
  const outcome: StepOutcome =
    known.output === undefined ? { kind: "unknown" } : { kind: "done", output: known.output };
  return { kind: "outcome", step, outcome };
}

function endPinned(step: StepRecord, outcome: StepOutcome): StepEnd {
  addFlag(step, "pinned");
  return { kind: "outcome", step, outcome };
}

/** The pinned output of the step. For `for_each`, a pin is the list of the outputs of the items. */
function findPin({ start }: WalkContext, { nodeId, item }: StepRecord): Json | undefined {
  const { pins = {} } = start.context;
  if (!Object.hasOwn(pins, nodeId)) return undefined;
  const pin = pins[nodeId];
  if (item < 0) return pin;
  return Array.isArray(pin) ? pin[item] : undefined;
}

async function check({ deps, early }: WalkContext, opened: OpenedStep): Promise<DryRunCheck> {
  if (opened.dryRun !== undefined) return await opened.dryRun();
  // What only names a run of another workflow does nothing by itself.
  const outcome = await opened.run({
    signal: early,
    idempotencyKey: "",
    attempt: 1,
    recordCall() {},
    recordWarnings() {},
  });
  if (outcome.kind === "start_run") await deps.runs.prepareChild(outcome);
  return {};
}

async function skipWait(
  { early }: WalkContext,
  step: StepRecord,
  opened: OpenedStep,
): Promise<StepEnd> {
  const outcome = await opened.run({
    signal: early,
    idempotencyKey: "",
    attempt: 1,
    recordCall() {},
    recordWarnings() {},
  });
  if (outcome.kind !== "sleep") return { kind: "outcome", step, outcome };
  return { kind: "outcome", step, outcome: { kind: "done", output: outcome.output } };
}

/** How the same step ended in the run whose outputs stand in for those of this one. */
async function findEarlierOutcome(
  { deps, start }: WalkContext,
  node: WorkflowNode,
  { nodeId, item }: StepRecord,
): Promise<StepOutcome | null> {
  const { pinsFrom } = start.context;
  if (pinsFrom === undefined) return null;
  const earlier = await deps.reads.findEarlierStep(pinsFrom, nodeId, item);
  // A failure that did not fail the run has an output, too.
  const hasEnded =
    earlier?.state === "succeeded" || (earlier?.state === "failed" && node.on_error !== "fail");
  if (earlier === null || !hasEnded || earlier.output === null) return null;
  const output = parseJson(earlier.output);
  const { caseName } = earlier;
  return { kind: "done", output, ...(caseName !== null && { caseName }) };
}
