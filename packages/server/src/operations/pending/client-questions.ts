import { recordChange, stampChange } from "../../changes/record-change.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { putPendingDecision } from "../../store/pending/pending-call-states.ts";
import { findPendingCall, findPendingState } from "../../store/pending/pending-calls-table.ts";
import type { CallContext } from "../operations.ts";
import type { ClientQuestions } from "../ports.ts";
import { pendingLimits } from "./pending-limits.ts";
import { findPrincipal, formatPrincipal } from "./principal.ts";

type QuestionDeps = {
  db: Db;
  now(): number;
  /** Whether only people who lately proved who they are decide. A client cannot prove it, so none confirms then. */
  freshDecisions: boolean;
};

export function createClientQuestions(deps: QuestionDeps): ClientQuestions {
  return {
    async find(ctx, id) {
      const call = await findPendingCall(deps.db, id);
      if (call === null || !isOwnCall(ctx, call)) return null;
      const { state, shown } = call;
      return { id, state, shown, isConfirmedByClient: isForClient(deps, call) };
    },
    async findState(ctx, id) {
      const call = await findPendingState(deps.db, id);
      return call !== null && isOwnCall(ctx, call) ? call.state : null;
    },
    decide: (ctx, id, decision) => decideInClient(deps, ctx, id, decision),
  };
}

/**
 * What the client's form says. It is recorded as confirmed by the client, not as the decision of a person: a program may
 * answer a form.
 */
async function decideInClient(
  deps: QuestionDeps,
  ctx: CallContext,
  id: string,
  state: "approved" | "denied",
): Promise<boolean> {
  const { db, now } = deps;
  const { userId, email, tokenId } = ctx.caller;
  const at = now();
  const actor = { userId, email, tokenId, via: "client" as const, ip: ctx.origin.ip };
  const stamp = stampChange(actor, at);
  return await transaction(db, async (trx) => {
    const call = await findPendingCall(trx, id);
    if (call === null || !isOwnCall(ctx, call) || !isForClient(deps, call)) return false;
    const isDecided = await putPendingDecision(trx, {
      id,
      state,
      at,
      by: userId,
      byEmail: email,
      via: actor.via,
      comment: null,
      approvedUntil: state === "approved" ? at + pendingLimits.approvedMs : null,
      keepUntil: at + pendingLimits.keptMs,
    });
    if (!isDecided) return false;
    await recordChange(trx, stamp, {
      action: state === "approved" ? "call.approve" : "call.deny",
      kind: "call",
      id,
      name: call.operationKey,
      detail: {
        made_by: call.principalName,
        row: call.rowId,
        row_label: call.shown.rowLabel,
        rule: call.ruleId,
        rule_revision: call.ruleRevision,
      },
    });
    return true;
  });
}

/** Whether a pending call is of this user and principal. */
export function isOwnCall(
  ctx: Pick<CallContext, "caller" | "cause">,
  { userId, principal }: Pick<PendingCall, "userId" | "principal">,
): boolean {
  return userId === ctx.caller.userId && principal === formatPrincipal(findPrincipal(ctx));
}

/** "Others" are never the caller's client, whatever the rule says. */
export function isForClient(
  { freshDecisions }: Pick<QuestionDeps, "freshDecisions">,
  { confirm, decider, reason }: PendingCall,
): boolean {
  if (freshDecisions) return false;
  return confirm === "client" && decider.kind === "caller" && reason === "approval";
}
