import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import type { ApprovalMark } from "../../../store/workflow-runs/workflow-approval-records.ts";
import {
  listApprovalMarks,
  putDecision,
} from "../../../store/workflow-runs/workflow-approvals-table.ts";
import { wakeWorkflowRun } from "../../../store/workflow-runs/workflow-runs-table.ts";
import type { EngineDeps } from "../../engine/engine.ts";
import { createOpenApproval } from "../../engine/nodes/approval-node.ts";
import { createNodeTypes } from "../../engine/nodes/create-node-types.ts";
import type { OpenStep } from "../../engine/step/open-step.ts";
import { openEngine, type TestEngine } from "../../engine/testing/open-engine.ts";

const noRows = { current: () => Promise.reject(new Error("This test has no rows")) };
const noTools = { get: () => Promise.reject(new Error("This test has no operations")) };

export const approvalBody = (more: WorkflowBodyInput = {}): WorkflowBodyInput => ({
  triggers: [{ id: "start", type: "manual", entry: "ask" }],
  nodes: [
    { id: "ask", type: "approval", title: "Send?", approvers: { tags: ["ops"] } },
    { id: "yes", type: "set", value: "yes" },
    { id: "no", type: "set", value: "no" },
  ],
  edges: [
    { from: "ask", to: "yes", case: "approved" },
    { from: "ask", to: "no", case: "denied" },
  ],
  ...more,
});

/** An engine whose operation nodes call `operation`, and a clock that a test sets ahead. */
export async function openApprovalEngine(
  operation?: OpenStep<"operation">,
  given: Partial<EngineDeps> = {},
) {
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const hub = await openEngine(operation, (deps: EngineDeps) => ({
    ...given,
    now,
    nodeTypes: createNodeTypes({
      openOperation: operation ?? deps.nodeTypes.operation,
      openHttp: deps.nodeTypes.http,
      openApproval: createOpenApproval({
        db: deps.db,
        catalogue: noTools,
        directory: noRows,
        pendingMax: 2,
      }),
    }),
  }));
  return {
    hub,
    now,
    setAhead(ms: number) {
      aheadMs = ms;
    },
  };
}

export async function findAsked(hub: TestEngine, runId: string): Promise<ApprovalMark> {
  for (;;) {
    const [approval] = await listApprovalMarks(hub.store.db, runId);
    if (approval !== undefined) return approval;
    const { promise, resolve } = Promise.withResolvers<void>();
    const unsubscribe = hub.engine.watch.subscribe(runId, resolve);
    const [stored] = await listApprovalMarks(hub.store.db, runId);
    if (stored === undefined) await promise;
    unsubscribe();
  }
}

/** Decides as `decideApproval` does, without waking a process. False if it was decided before. */
export async function storeDecision(
  hub: TestEngine,
  { id, hash, runId }: ApprovalMark,
  at: number,
): Promise<boolean> {
  const by = { by: "u1", byEmail: "ann@example.com", comment: null };
  const isDecided = await putDecision(hub.store.db, { id, hash, at, state: "approved", ...by });
  if (isDecided) await wakeWorkflowRun(hub.store.db, runId, at);
  return isDecided;
}
