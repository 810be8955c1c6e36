import type { WorkflowStep, WorkflowStepEvent } from "@hub/contract/workflow-run.ts";
import { formatCount } from "../../../../ui/text/format.ts";
import type { Edge } from "../../graph/body.ts";
import type { ItemLook, LinkLook } from "../../graph/flow.ts";

/** The step of each node, with how many of its items have ended. */
export type StepGroups = ReadonlyMap<
  string,
  { step: WorkflowStepEvent | null; items: number; ended: number }
>;

/** The steps of a run that waits for a person. Those that were running wait for the decision how they ended. */
export function markUndecided<S extends WorkflowStepEvent>(
  steps: readonly S[],
  { waiting_for }: { waiting_for: unknown },
): readonly S[] {
  if (Object(waiting_for).kind !== "person") return steps;
  return steps.map((step) =>
    step.state === "running" ? { ...step, state: "waiting", may_have_happened: true } : step,
  );
}

/** Brings the steps of a node and of the items of its `for_each` together. */
export function groupSteps(steps: readonly WorkflowStepEvent[]): StepGroups {
  const groups = new Map<
    string,
    { step: WorkflowStepEvent | null; items: number; ended: number }
  >();
  for (const step of steps) {
    const group = groups.get(step.node_id) ?? { step: null, items: 0, ended: 0 };
    if (step.item === null) group.step = step;
    else {
      group.items += 1;
      if (step.ended_at !== null) group.ended += 1;
    }
    groups.set(step.node_id, group);
  }
  return groups;
}

/** How a run shows an item. The trigger that started it has succeeded. */
export function findLook(groups: StepGroups, id: string, trigger: string | undefined): ItemLook {
  if (id === trigger) return { state: "succeeded", note: null, problem: null };
  const group = groups.get(id);
  if (group === undefined) return { state: null, note: null, problem: null };
  const { step, items, ended } = group;
  const note =
    items > 0
      ? ended < items
        ? `${ended} of ${items} items`
        : countItems(items)
      : describeStep(step);
  return { state: step?.state ?? "running", note, problem: null };
}

function describeStep(step: WorkflowStepEvent | null): string | null {
  if (step === null) return null;
  if (step.skip_reason === "disabled") return "switched off";
  if (step.would_call) return "would call";
  if (step.is_pinned) return "pinned";
  if (step.state === "waiting" && step.may_have_happened) return "to decide";
  if (step.is_taken_over) return "taken over";
  return step.tries > 1 ? `${step.tries} tries` : null;
}

const noCounts: ReadonlyMap<string, number> = new Map();

/** The lengths of the outputs that are lists, by node. Of a list that was cut, the whole length. */
export function countOutputs(steps: readonly WorkflowStep[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { node_id: node, item, output } of steps) {
    if (item !== null) continue;
    const { cuts = [] } = Object(Object(output)._truncated);
    const whole: unknown = Array.isArray(cuts)
      ? cuts.find((cut: unknown) => Object(cut).path === "$")
      : undefined;
    const count = Array.isArray(output) ? output.length : Object(whole).of;
    if (
      typeof count === "number" &&
      (Array.isArray(output) || Array.isArray(Object(output).result))
    )
      counts.set(node, count);
  }
  return counts;
}

/** Whether the run went along a connection, and with how many items. */
export function findLinkLook(
  groups: StepGroups,
  { from, to, case: name }: Edge,
  trigger: string | undefined,
  counts: ReadonlyMap<string, number> = noCounts,
): LinkLook {
  const next = groups.get(to)?.step?.state;
  // A dry run does not know what would come out here.
  if (groups.get(from)?.step?.state === "unknown") return { isTaken: false, isUnknown: true };
  if (next === undefined) return { isTaken: false };
  if (from === trigger) return { isTaken: true };
  const group = groups.get(from);
  const step = group?.step ?? null;
  if (group === undefined || step === null) return { isTaken: false };
  const isTaken = (step.case ?? undefined) === name;
  return { isTaken, note: isTaken ? describeCount(group.items, counts.get(from)) : null };
}

/** Only several things are counted: items that a step ran for, or those of a list that it gave as one output. */
function describeCount(ran: number, listed: number | undefined): LinkLook["note"] {
  if (ran > 0) {
    return { text: countItems(ran), why: `The step ran for ${countItems(ran)}.` };
  }
  if (listed === undefined) return null;
  const text = countItems(listed);
  return {
    text,
    why: `The output is a list of ${text}. The next step runs once for the list, unless it has "For each".`,
  };
}

const countItems = (count: number) => formatCount(count, "item");
