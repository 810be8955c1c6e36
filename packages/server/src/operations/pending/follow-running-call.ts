import { randomBytes } from "node:crypto";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { insertRunningTask } from "../../store/pending/pending-tasks.ts";
import type { Admitted, ToolCall } from "../admission/call.ts";
import type { CallContext } from "../operations.ts";
import { findPrincipalName } from "./find-principal-name.ts";
import { pendingLimits } from "./pending-limits.ts";
import { findPrincipal, formatPrincipal } from "./principal.ts";
import { showText } from "./show-params.ts";

/** A call that is out, with the id of its record. */
export type RunningCall = { runId: string; target: Admitted<ToolCall> };

export type FollowDeps = {
  db: Db;
  ring: RingHolder;
  now(): number;
  instanceId: string;
};

/**
 * Stores a call that is out already as a pending call and a task, and returns its id. A call that a person has approved is
 * one: it becomes a task. Null if the user has too many.
 */
export async function followRunningCall(
  deps: FollowDeps,
  ctx: CallContext,
  { runId, target }: RunningCall,
): Promise<string | null> {
  const call = await toPendingCall(deps, ctx, target);
  const running = { call, runId, instanceId: deps.instanceId };
  return await transaction(deps.db, (trx) =>
    insertRunningTask(trx, running, pendingLimits.runningOfUser),
  );
}

async function toPendingCall(
  { db, ring, now }: FollowDeps,
  ctx: CallContext,
  { row, connector, operation }: Admitted<ToolCall>,
): Promise<PendingCall> {
  const { source, ip, userAgent } = ctx.origin;
  const principal = findPrincipal(ctx);
  const at = now();
  const id = randomBytes(16).toString("hex");
  return {
    id,
    userId: ctx.caller.userId,
    principal: formatPrincipal(principal),
    principalName: await findPrincipalName(db, principal),
    rowId: row.id,
    operationKey: operation.key,
    reason: "running",
    state: "running",
    // It is never made again, so that its request is not kept, and no equal call finds it.
    sealed: new Uint8Array(),
    digestKey: ring.current().sealing.id,
    digest: id,
    basis: "",
    shown: {
      rowLabel: row.label,
      connectorKey: connector.key,
      connectorName: connector.name,
      operationName: operation.name,
      description: showText(operation.description),
      isDestructive: operation.destructive,
      params: {},
      account: null,
      accountId: null,
      rule: null,
      note: null,
    },
    decider: { kind: "caller" },
    excluded: [],
    ruleId: null,
    ruleRevision: null,
    confirm: "page",
    runsByItself: false,
    origin: { source, ip, userAgent: userAgent && showText(userAgent), client: null },
    askedRunId: null,
    createdAt: at,
    expiresAt: at,
    approvedUntil: null,
    decidedAt: null,
    decidedBy: null,
    decidedByEmail: null,
    decidedVia: null,
    comment: null,
    runId: null,
    instanceId: null,
    result: null,
    resultAt: null,
    keepUntil: at + pendingLimits.keptMs,
    isTask: true,
    endedReason: null,
    deputyId: null,
    deputyBy: null,
    remindedAt: null,
    chatState: "",
  };
}
