import {
  type PendingCallDecision,
  type PendingCallDetail,
  pendingCallDecisionSchema,
} from "@hub/contract/pending-call.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { checkPersonalDoor, type DecidingActor } from "../../identity/check-personal-door.ts";
import { findUserNames } from "../../identity/find-user-names.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import { pendingLimits } from "../../operations/pending/pending-limits.ts";
import { toApprovedUntil } from "../../operations/pending/to-approved-until.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { putPendingDecision } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { insertPermit } from "../../store/pending/permits-table.ts";
import { findWorkflowRunId } from "../../store/pending/workflow-principal.ts";
import { wakeWorkflowRun } from "../../store/workflow-runs/workflow-runs-table.ts";
import { checkSentTokens } from "../../workflows/engine/secrets/check-sent-tokens.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { refuseUnknownCall } from "./call-rules.ts";
import { readPendingCall } from "./list-pending-calls.ts";
import { endLapsed, loadForDecision } from "./load-for-decision.ts";
import { toPermit } from "./to-permit.ts";

export type DecideDeps = Pick<
  ServiceDeps,
  "store" | "ring" | "now" | "openWorkflows" | "freshSignIn"
>;

/** Doors through which a person is known to act. The command line is none: a model with a shell has it. */
const doors: ReadonlySet<DecidingActor["via"]> = new Set(["session", "chat"]);
export const callDoorRefusal =
  "Calls are decided by people: in a signed-in browser, or by a linked chat account. Tokens and the command line can only read them. Open the page of the call.";

/**
 * Decides a call that waits. Every door uses this function. One transaction reads the person as of now, checks the rules,
 * decides, records the change, and stores the permission for an hour. Throws `not_found` for a call that does not exist for
 * the person, `forbidden` for one who may not decide it, and `conflict` for one that is decided, over, or was shown otherwise.
 */
export async function decidePendingCall(
  deps: DecideDeps,
  actor: DecidingActor,
  { id, ...given }: PendingCallDecision & { id: string },
): Promise<PendingCallDetail> {
  const { store, now } = deps;
  checkPersonalDoor(actor, doors, callDoorRefusal);
  deps.freshSignIn.check(actor, "decisions");
  const { decision, hash, comment = "", hour } = checkInput(pendingCallDecisionSchema, given);
  if (hour && decision === "denied") {
    throw new HubError("bad_request", "A denial permits nothing. Leave `hour` out.");
  }
  const at = now();
  const stamp = stampChange(actor, at);
  const ids = { permit: crypto.randomUUID() };
  const outcome = await transaction(store.db, async (trx) => {
    const { call, user, isNamed } = await loadForDecision(trx, actor, { id, hash, at });
    const lapse = await endLapsed(trx, call, at);
    if (lapse !== null) {
      // Its run makes the call again, which says why it cannot run, or asks anew.
      const waitingRunId = findWorkflowRunId(call);
      if (waitingRunId !== null) await wakeWorkflowRun(trx, waitingRunId, at);
      return { lapse, decided: null };
    }
    // In the client, those of its user would open.
    if (call.userId !== user.id) checkSentTokens(deps.ring.current(), { payload: comment });
    const granted = { id: ids.permit, by: user.id, byEmail: user.email, at };
    const permit = hour ? await toPermit(trx, deps.ring.current(), call, granted) : null;
    const isDecided = await putPendingDecision(trx, {
      id,
      state: decision,
      at,
      by: user.id,
      byEmail: user.email,
      via: actor.via,
      comment: comment === "" ? null : comment,
      approvedUntil: decision === "approved" ? toApprovedUntil(call, at) : null,
      keepUntil: at + pendingLimits.keptMs,
    });
    if (!isDecided) throw new HubError("conflict", "The call was decided meanwhile.");
    if (permit !== null) await insertPermit(trx, permit);
    const workflowRunId = findWorkflowRunId(call);
    if (workflowRunId !== null) await wakeWorkflowRun(trx, workflowRunId, at);
    await recordChange(trx, stamp, {
      action: decision === "approved" ? "call.approve" : "call.deny",
      kind: "call",
      id,
      name: call.operationKey,
      detail: await toDetail(trx, call, permit?.id ?? null),
    });
    const decided = await findPendingCall(trx, id);
    return { lapse: null, decided, user, isNamed, workflowRunId };
  });
  if (outcome.lapse !== null) {
    throw new HubError("conflict", `The call cannot be decided. ${outcome.lapse}`);
  }
  const { decided, user, isNamed, workflowRunId } = outcome;
  if (decided === null) throw refuseUnknownCall();
  if (workflowRunId !== null) {
    const { engine } = await deps.openWorkflows();
    engine.wake({ runId: workflowRunId, dueAt: at });
  }
  const reading = { userId: user.id, isAdmin: user.role === "admin", isNamed, at };
  return await readPendingCall(store.db, decided, reading);
}

async function toDetail(trx: Transaction, call: PendingCall, permitId: string | null) {
  const { userId, principalName, rowId, shown, ruleId, ruleRevision } = call;
  const names = await findUserNames(trx, [userId]);
  return {
    user: names.get(userId) ?? userId,
    made_by: principalName,
    row: rowId,
    row_label: shown.rowLabel,
    rule: ruleId,
    rule_revision: ruleRevision,
    ...(permitId !== null && { permit: permitId }),
  };
}
