import { toTimeText } from "@hub/contract/time.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { HubError } from "../../../errors.ts";
import type { AskedCall } from "../../../store/pending/asked-calls.ts";
import type { StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import type { StepOutcome } from "../step/open-step.ts";
import { addFlag, endStep, readFlags, withPosition } from "../step/step-records.ts";
import { findAsked, findKnown, toAskedSteps } from "./asked-steps.ts";
import { isStopping, type WalkContext, type WalkState } from "./walk-state.ts";

/**
 * Reads the questions that an earlier process of this run has asked: one that died may not have stored the step that
 * waits for it.
 */
export async function restoreAsked(walk: WalkContext): Promise<void> {
  if (walk.start.run.lease.number > 1) await readAsked(walk);
}

async function readAsked({ deps, state }: WalkContext): Promise<void> {
  state.asked = toAskedSteps(await deps.reads.readAskedCalls());
}

/** The step as it is stored while it waits. */
export function toWaiting(
  step: StepRecord,
  { callId, until }: Pick<Extract<StepOutcome, { kind: "await_call" }>, "callId" | "until">,
): StepRecord {
  const others = readFlags(step).filter((flag) => flag !== "asked");
  const waiting: StepRecord = {
    ...step,
    state: "waiting",
    wakeAt: until,
    flags: others.length === 0 ? null : JSON.stringify(others),
  };
  if (callId !== null) addFlag(waiting, "asked");
  return waiting;
}

/** The waiting step of a call that an earlier process has asked about; null if there is none. */
export function restoreWaiting({ state }: WalkContext, step: StepRecord): StepRecord | null {
  const call = state.asked.size === 0 ? null : findKnown(state.asked, step);
  return call && toWaiting(step, { callId: call.id, until: call.expiresAt });
}

export function recordItemCall(
  { itemCalls }: WalkState,
  { id }: WorkflowNode,
  step: StepRecord,
): void {
  const items = itemCalls.get(id) ?? new Map<number, StepRecord>();
  items.set(step.item, step);
  itemCalls.set(id, items);
}

export type CallWakes = {
  resumeNode(node: WorkflowNode, step: StepRecord): void;
  /** Goes over the items of a node again. */
  resumeItems(nodeId: string): void;
};

/** Lets the steps go on whose calls were decided, or whose time has come. */
export async function wakeCalls(walk: WalkContext, wakes: CallWakes): Promise<void> {
  const { state } = walk;
  const { calls, itemCalls } = state;
  if ((calls.size === 0 && itemCalls.size === 0) || isStopping(state)) return;
  await readAsked(walk);
  for (const [id, { node, step }] of [...calls]) {
    if (!isReady(walk, step)) continue;
    calls.delete(id);
    wakes.resumeNode(node, step);
  }
  for (const [id, items] of [...itemCalls]) {
    // Its end is a change, after which this is looked at again.
    if (state.atItems.has(id)) continue;
    if (![...items.values()].some((step) => isReady(walk, step))) continue;
    itemCalls.delete(id);
    wakes.resumeItems(id);
  }
}

/** Whether a waiting step can go on. */
function isReady({ deps, state }: WalkContext, step: StepRecord): boolean {
  const call = findAsked(state.asked, step);
  if (call !== null) return call.state !== "open" || call.expiresAt <= deps.now();
  // A question that is not there any more has ended with its row, or expired.
  return isAsked(step) || (step.wakeAt ?? 0) <= deps.now();
}

/** Whether people have not decided yet. A step that could not ask yet may try again whenever its node goes on. */
export function isUndecided(walk: WalkContext, step: StepRecord): boolean {
  return isAsked(step) && !isReady(walk, step);
}

const isAsked = (step: StepRecord) => readFlags(step).includes("asked");

/**
 * The call with which a waiting step goes on; null if it is made anew. Throws the failure of a step that people have
 * denied, or did not decide on in time.
 */
export async function findDecided(walk: WalkContext, step: StepRecord): Promise<AskedCall | null> {
  const { deps, state } = walk;
  const call = findAsked(state.asked, step);
  if (call === null) {
    if (isAsked(step) && (step.wakeAt ?? 0) <= deps.now()) throw refuseExpired(step.wakeAt ?? 0);
    return null;
  }
  if (call.state === "denied") throw refuseDenied(call);
  if (call.state !== "open") return call;
  await deps.reads.endAskedCall(call.id, "expired");
  throw refuseExpired(call.expiresAt);
}

function refuseDenied({ id, decidedByEmail, comment }: AskedCall): HubError {
  const by = decidedByEmail === null ? "A person" : decidedByEmail;
  const said = comment === null || comment === "" ? "" : ` The comment: ${comment}`;
  return new HubError(
    "refused_by_rule",
    `${by} denied the call of this node. Nothing has run.${said}`,
    {
      detail: { pending_id: id },
    },
  );
}

function refuseExpired(at: number): HubError {
  return new HubError(
    "approval_required",
    `The call of this node was not decided on by ${toTimeText(at)}, so nothing has run. Start a new run to ask again.`,
  );
}

/** Ends the items of a node that wait, and their questions: the node has failed. */
export async function endItemCalls(walk: WalkContext, { id }: WorkflowNode): Promise<void> {
  const { deps, state } = walk;
  const items = [...(state.itemCalls.get(id)?.values() ?? [])];
  if (items.length === 0) return;
  state.itemCalls.delete(id);
  await readAsked(walk);
  for (const step of items) {
    const call = findAsked(state.asked, step);
    if (call !== null) await deps.reads.endAskedCall(call.id, "ended");
  }
  const steps = items.map((step) => withPosition(walk, endStep(walk, step, "cancelled")));
  await deps.commits.commit({ steps });
}
