import type { WorkflowDecision } from "@hub/contract/workflow-run.ts";
import type { Caller } from "../../../caller.ts";
import { HubError } from "../../../errors.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import { findStep, type StepMark } from "../../../store/workflow-runs/workflow-steps.ts";
import type { Plan } from "../../engine/plan.ts";
import { checkOutput, findNode } from "../start/check-pins.ts";
import { checkDecidable, decideStep } from "./decide-step.ts";
import type { Resumable, ResumeDeps } from "./find-resumable.ts";
import { type ResumePlan, toKey } from "./plan-resume.ts";

/** By step. */
export type Decisions = ReadonlyMap<string, { decision: WorkflowDecision; step: StepMark }>;

/** Checks what a person says of steps. Throws if a step that may have happened is left out. */
export function checkDecisions(
  deps: ResumeDeps,
  caller: Caller,
  { workflow, steps, after, plan, unsure }: Resumable,
  decisions: readonly WorkflowDecision[],
): Decisions {
  const found = new Map<string, { decision: WorkflowDecision; step: StepMark }>();
  const byKey = new Map(steps.map((step) => [toKey(step), step]));
  for (const decision of decisions) {
    const node = findNode(after, decision.node_id);
    checkDecidable(node);
    const key = toKey({ nodeId: node.id, item: decision.item ?? -1 });
    const step = byKey.get(key);
    const stepName =
      decision.item === undefined ? `"${node.id}"` : `"${node.id}" [${decision.item}]`;
    if (step === undefined || !isOpen(step, plan, unsure)) {
      throw new HubError(
        "bad_request",
        `The step ${stepName} needs no decision: ${step === undefined ? "it did not run" : "it has ended"}. Leave it out.`,
      );
    }
    if (found.has(key)) {
      throw new HubError("bad_request", `There are two decisions about the step ${stepName}.`);
    }
    if (decision.decision === "failed" && node.on_error === "fail" && plan !== null) {
      throw new HubError(
        "bad_request",
        `The new run would fail at once, because the node "${node.id}" has no \`on_error\`. Choose repeat or succeeded.`,
      );
    }
    if (decision.decision === "succeeded") {
      const from = { ring: deps.ring.current(), caller, ownerId: workflow.ownerId };
      checkOutput(from, `The output of the step ${stepName}`, decision.output ?? null);
    }
    found.set(key, { decision, step });
  }
  if (plan === null) checkRepeatable(after, found);
  const [first, ...others] = listUndecided(unsure, found);
  if (first === undefined) return found;
  const more = others.length === 0 ? "" : ` The same holds for ${others.length} more.`;
  throw new HubError(
    "conflict",
    `Decide about the step "${first.node_id}"${first.item === null ? "" : ` [${first.item}]`}, which may have happened: repeat, succeeded or failed.${more} ${first.message}`,
  );
}

/**
 * A failure that ends the run keeps the other steps from being repeated. That they may have happened would be
 * forgotten.
 */
function checkRepeatable(plan: Plan, decided: Decisions): void {
  const given = [...decided.values()].map(({ decision }) => decision);
  const repeated = given.find(({ decision }) => decision === "repeat");
  const ending = given.find(
    ({ decision, node_id: id }) => decision === "failed" && findNode(plan, id).on_error === "fail",
  );
  if (repeated === undefined || ending === undefined) return;
  throw new HubError(
    "bad_request",
    `The run would fail at once, because the node "${ending.node_id}" has no \`on_error\`, so "${repeated.node_id}" would not be repeated. Choose repeat for both, or say how "${repeated.node_id}" ended: succeeded or failed.`,
  );
}

/** Whether a person may say how the step ended: it has not ended for the resumed run. */
function isOpen(step: StepMark, plan: ResumePlan | null, unsure: ResumePlan["unsure"]): boolean {
  if (plan === null) return unsure.has(toKey(step));
  if (plan.taken.has(step.nodeId)) return false;
  return step.item < 0 || step.state !== "succeeded";
}

/** A decision about a whole node counts for its items. */
export function listUndecided(unsure: ResumePlan["unsure"], decided: Decisions) {
  return [...unsure.values()]
    .filter(({ step }) => {
      const ofNode = decided.get(toKey({ nodeId: step.nodeId, item: -1 }));
      return !decided.has(toKey(step)) && ofNode === undefined;
    })
    .map(({ step, message }) => ({
      node_id: step.nodeId,
      item: step.item < 0 ? null : step.item,
      message,
    }));
}

/** The steps that have ended by decisions, and those that run again. */
export async function toSteps(
  { store, now }: ResumeDeps,
  { email }: Caller,
  { run, after }: Resumable,
  decided: Decisions,
): Promise<{ ended: StepRecord[]; again: StepMark[] }> {
  const ended: StepRecord[] = [];
  const again: StepMark[] = [];
  for (const { decision, step: mark } of decided.values()) {
    const node = findNode(after, mark.nodeId);
    const input = (await findStep(store.db, run.id, mark.nodeId, mark.item))?.input ?? null;
    const step = decideStep({ node, mark, input, by: email, at: now() }, decision);
    if (step === null) again.push(mark);
    else ended.push(step);
  }
  return { ended, again };
}
