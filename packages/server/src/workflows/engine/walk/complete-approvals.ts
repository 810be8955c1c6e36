import { toTimeText } from "@hub/contract/time.ts";
import type { ApprovalMark } from "../../../store/workflow-runs/workflow-approval-records.ts";
import { recordGate } from "../step/check-approved.ts";
import { endStep } from "../step/step-records.ts";
import { finishNode } from "./finish-node.ts";
import { isStopping, type WaitingStep, type WalkContext } from "./walk-state.ts";

/** Ends the steps whose approvals were decided or have expired. */
export async function completeApprovals(walk: WalkContext): Promise<void> {
  const { deps, state } = walk;
  if (state.approvals.size === 0 || isStopping(state)) return;
  const approvals = await deps.reads.readApprovals();
  for (const approval of approvals) {
    const waiting = state.approvals.get(approval.nodeId);
    if (waiting === undefined || approval.state === "pending" || isStopping(state)) continue;
    state.approvals.delete(approval.nodeId);
    await endApproval(walk, waiting, approval);
  }
}

/** Goes on along the case that is named like the state. */
async function endApproval(
  walk: WalkContext,
  { node, step }: WaitingStep,
  { state, decidedAt, decidedByEmail, comment }: ApprovalMark,
): Promise<void> {
  const { sealer } = walk.start;
  const output = sealer.seal({
    by: decidedByEmail,
    at: decidedAt === null ? null : toTimeText(decidedAt),
    comment,
  });
  recordGate(walk, node, state);
  const ended = endStep(walk, step, "succeeded");
  await finishNode(walk, node, { ...ended, caseName: state, output: sealer.toOutputText(output) });
}
