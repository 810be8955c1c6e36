import type { Workflow, WorkflowDetail } from "@hub/contract/workflow.ts";
import { z } from "zod";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import {
  checkInput,
  emailSchema,
  momentSchema,
  toBadRequest,
} from "../../lib/input/check-input.ts";
import { transaction } from "../../store/database/database.ts";
import { findUserByEmail } from "../../store/users/users-table.ts";
import { updateWorkflow } from "../../store/workflows/workflow-changes.ts";
import { listTriggersOf } from "../../store/workflows/workflow-triggers.ts";
import { checkTriggerCounts } from "../triggers/index-triggers.ts";
import { checkOwner } from "./create-workflow.ts";
import type { DefinitionDeps } from "./definition-deps.ts";
import { presentDetail, presentWorkflow } from "./present-workflow.ts";
import { type Author, checkMayAuthor, loadWorkflow } from "./workflow-access.ts";

type OwnerDeps = Pick<DefinitionDeps, "store" | "now" | "config">;

const offerSchema = z.strictObject({
  /** The e-mail of the new owner. */
  owner: emailSchema,
});

/**
 * Offers a workflow to another user, who may read it from now on. The user owns it after accepting,
 * because its runs then act as that user.
 */
export async function offerWorkflow(
  { store, now }: OwnerDeps,
  { caller, actor }: Author,
  id: string,
  input: z.input<typeof offerSchema>,
): Promise<WorkflowDetail> {
  const { owner } = checkInput(offerSchema, input);
  const at = now();
  const stamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const { name, ownerId } = await loadWorkflow(trx, caller, id, "manage");
    const user = await findUserByEmail(trx, owner);
    const reject = (message: string) => toBadRequest([{ path: "owner", message }]);
    if (user?.status !== "active") throw reject("must be the e-mail of an active user.");
    if (user.kind === "service") {
      throw reject("is a service user, which accepts nothing. Offer the workflow to a person.");
    }
    if (user.id === ownerId) {
      throw new HubError("conflict", `${user.email} owns the workflow already.`);
    }
    await updateWorkflow(trx, id, { pendingOwnerId: user.id }, at);
    await recordChange(trx, stamp, {
      action: "workflow.offer",
      kind: "workflow",
      id,
      name,
      detail: { owner: user.email },
    });
    return await presentDetail(trx, caller, await loadWorkflow(trx, caller, id, "manage"));
  });
}

const acceptSchema = z.strictObject({
  /** The `updated_at` that was read: what changed since needs another look. */
  updatedAt: momentSchema,
});

/** Makes the user to whom the workflow is offered its owner. */
export async function acceptWorkflow(
  { store, now, config }: OwnerDeps,
  { caller, actor }: Author,
  id: string,
  input: z.input<typeof acceptSchema>,
): Promise<WorkflowDetail> {
  const { updatedAt } = checkInput(acceptSchema, input);
  checkMayAuthor(config, caller);
  const at = now();
  const stamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const workflow = await loadWorkflow(trx, caller, id, "accept");
    if (workflow.pendingOwnerId !== caller.userId) throw refuseNoOffer();
    if (workflow.updatedAt !== updatedAt) {
      throw new HubError(
        "conflict",
        "The workflow has changed since you read it. Read it again, then accept it.",
      );
    }
    await checkOwner(trx, caller.userId);
    const accepted = { id, ownerId: caller.userId };
    await checkTriggerCounts(trx, accepted, await listTriggersOf(trx, [id]));
    await updateWorkflow(trx, id, { ownerId: caller.userId, pendingOwnerId: null }, at);
    await recordChange(trx, stamp, {
      action: "workflow.accept",
      kind: "workflow",
      id,
      name: workflow.name,
      detail: { owner: { from: workflow.ownerId, to: caller.userId } },
    });
    return await presentDetail(trx, caller, await loadWorkflow(trx, caller, id, "manage"));
  });
}

/** Ends an offer: by the user to whom the workflow is offered, its owner or an admin. */
export async function endOffer(
  { store, now }: OwnerDeps,
  { caller, actor }: Author,
  id: string,
): Promise<Workflow> {
  const at = now();
  const stamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const workflow = await loadWorkflow(trx, caller, id, "accept");
    const { name, pendingOwnerId } = workflow;
    if (pendingOwnerId === null) throw refuseNoOffer();
    // As the caller sees it now: a user who declines may not see it any more.
    const seen = await presentWorkflow(trx, caller, workflow);
    await updateWorkflow(trx, id, { pendingOwnerId: null }, at);
    await recordChange(trx, stamp, { action: "workflow.end_offer", kind: "workflow", id, name });
    return { ...seen, pending_owner: null };
  });
}

function refuseNoOffer(): HubError {
  return new HubError("conflict", "The workflow is not offered to a new owner.");
}
