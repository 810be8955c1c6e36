import type { WorkflowApprovalDetail, WorkflowDecision } from "@hub/contract/workflow-approval.ts";
import { workflowDecisionSchema } from "@hub/contract/workflow-approval.ts";
import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { checkPersonalDoor, type DecidingActor } from "../../identity/check-personal-door.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import { isActive } from "../../identity/to-caller.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import { EVERYONE_TAG } from "../../store/tags/tags-table.ts";
import { findUserById } from "../../store/users/users-table.ts";
import type { ApprovalRecord } from "../../store/workflow-runs/workflow-approval-records.ts";
import {
  findApproval,
  isApproverOf,
  putDecision,
} from "../../store/workflow-runs/workflow-approvals-table.ts";
import { wakeWorkflowRun } from "../../store/workflow-runs/workflow-runs-table.ts";
import { findWorkflow, type WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { findAccess } from "../definition/workflow-access.ts";
import { checkSentTokens } from "../engine/secrets/check-sent-tokens.ts";
import { findPersonRefusal, findStateRefusal, refuseUnknown } from "./approval-rules.ts";
import type { ApprovalDeps } from "./list-approvals.ts";
import { presentApproval } from "./present-approval.ts";

/** Doors through which a person is known to act, and no model or program. */
const personalDoors: ReadonlySet<Actor["via"]> = new Set(["session", "chat", "command line"]);

/**
 * Decides an approval. Every door uses this function. One transaction reads the person as of now, checks
 * the rules, decides, records the change and makes the run due. Throws `not_found` for an approval that
 * does not exist for the person, `forbidden` for one who may not decide it, and `conflict` for one that
 * is decided, over, or was shown otherwise.
 */
export async function decideApproval(
  deps: ApprovalDeps,
  actor: DecidingActor,
  { id, ...given }: WorkflowDecision & { id: string },
): Promise<WorkflowApprovalDetail> {
  const { store, ring, now, freshSignIn } = deps;
  checkPersonalDoor(actor, personalDoors, doorRefusal);
  freshSignIn.check(actor, "decisions");
  const { decision, hash, comment = "" } = checkInput(workflowDecisionSchema, given);
  const at = now();
  const stamp = stampChange(actor, at);
  const decided = await transaction(store.db, async (trx) => {
    const { approval, workflow, email, viewer } = await loadForDecision(trx, actor, id);
    const over = findStateRefusal(approval, at);
    if (over !== null) throw new HubError("conflict", `The approval cannot be decided. ${over}`);
    if (approval.hash !== hash) {
      const message = "What you decided on is not what this approval asks. Read it again.";
      throw new HubError("conflict", message, { detail: { hash: approval.hash } });
    }
    // In the run, those of its owner would open.
    if (approval.ownerId !== actor.userId) checkSentTokens(ring.current(), { payload: comment });
    const isDecided = await putDecision(trx, {
      id,
      hash,
      at,
      state: decision,
      by: actor.userId,
      byEmail: email,
      comment: comment === "" ? null : comment,
    });
    if (!isDecided) throw new HubError("conflict", "The approval was decided meanwhile.");
    await wakeWorkflowRun(trx, approval.runId, at);
    await recordChange(trx, stamp, {
      action: decision === "approved" ? "workflow.approve" : "workflow.deny",
      kind: "workflow",
      id: workflow.id,
      name: workflow.name,
      detail: { approval: id, run: approval.runId, node: approval.nodeId, title: approval.title },
    });
    return { approval: await findApproval(trx, id), workflow, viewer };
  });
  if (decided.approval === null) throw refuseUnknown();
  const { engine } = await deps.openWorkflows();
  engine.wake({ runId: decided.approval.runId, dueAt: at });
  return await presentApproval(store.db, decided.approval, {
    workflow: decided.workflow,
    at,
    isLocal: isLocalAdmin(actor),
    userId: actor.userId,
    isApprover: true,
    isAdmin: decided.viewer.role === "admin",
    viewer: decided.viewer,
    seesWorkflow:
      findAccess({ ...decided.viewer, userId: actor.userId }, decided.workflow) !== null,
  });
}

const doorRefusal =
  "Approvals are decided by people: in a signed-in browser, by a linked chat account, or with `hub workflow approve` on the hub's machine. Tokens can only read them.";

function isLocalAdmin({ via, userId }: DecidingActor): boolean {
  return via === "command line" && userId === LOCAL_ADMIN_ID;
}

type ForDecision = {
  approval: ApprovalRecord;
  workflow: WorkflowRecord;
  email: string;
  viewer: Pick<Caller, "role" | "tags">;
};

/** The approval, if the person may decide it now. */
async function loadForDecision(
  trx: Transaction,
  actor: DecidingActor,
  id: string,
): Promise<ForDecision> {
  const approval = await findApproval(trx, id);
  const workflow = approval && (await findWorkflow(trx, approval.workflowId));
  if (approval === null || workflow === null) throw refuseUnknown();
  const isLocal = isLocalAdmin(actor);
  const user = isLocal ? null : await findUserById(trx, actor.userId);
  // An approver may have been disabled since the approval was shown.
  if (!isLocal && (user === null || !isActive(user))) throw refuseUnknown();
  const reader = user && { ...user, userId: user.id, tags: [...user.tags, EVERYONE_TAG] };
  const isApprover = reader !== null && (await isApproverOf(trx, id, reader));
  const isReader = isLocal || isApprover || user?.role === "admin" || workflow.ownerId === user?.id;
  if (!isReader) throw refuseUnknown();
  const refusal = findPersonRefusal(approval, { userId: actor.userId, isLocal, isApprover });
  if (refusal !== null) throw new HubError("forbidden", refusal);
  const viewer = { role: user?.role ?? "admin", tags: new Set(user?.tags) };
  return { approval, workflow, email: user?.email ?? actor.email, viewer };
}
