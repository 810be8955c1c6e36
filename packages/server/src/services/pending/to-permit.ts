import { HubError } from "../../errors.ts";
import { digestFixed } from "../../operations/pending/digest-fixed.ts";
import { pendingLimits } from "../../operations/pending/pending-limits.ts";
import { openRequest } from "../../operations/pending/sealed-request.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import type { Db } from "../../store/database/database.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import type { CallPermit } from "../../store/pending/permits-table.ts";
import { findHour } from "./find-hour.ts";

type Granted = { id: string; by: string; byEmail: string; at: number };

/** The permission for an hour that an approver gives with a call. Throws if the rule does not allow it. */
export async function toPermit(
  db: Db,
  ring: KeyRing,
  call: PendingCall,
  { id, by, byEmail, at }: Granted,
): Promise<CallPermit> {
  const hour = await findHour(db, call);
  const request = openRequest(ring, call.id, call.sealed);
  const { ruleId, ruleRevision } = call;
  if (hour === null || request === null || ruleId === null || ruleRevision === null) {
    throw new HubError(
      "conflict",
      "The rule does not allow a permission for an hour. Approve this call alone.",
    );
  }
  return {
    id,
    userId: call.userId,
    principal: call.principal,
    principalName: call.principalName,
    rowId: call.rowId,
    operationKey: call.operationKey,
    account: call.shown.accountId ?? "",
    ruleId,
    ruleRevision,
    basis: call.basis,
    fixed: await digestFixed(ring, request.params, hour.fixed),
    createdAt: at,
    expiresAt: at + pendingLimits.permitMs,
    grantedBy: by,
    grantedByEmail: byEmail,
    endedAt: null,
    callId: call.id,
  };
}
