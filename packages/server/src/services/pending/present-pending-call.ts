import type { EarlierCall, PendingCall, PendingCallDetail } from "@hub/contract/pending-call.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { deletedUser } from "../../identity/find-user-names.ts";
import { listDecidingValues, toCallSummary } from "../../store/pending/call-summary.ts";
import type { EarlierCall as EarlierRun } from "../../store/pending/earlier-calls.ts";
import type { PendingCall as StoredCall } from "../../store/pending/pending-call-record.ts";
import type { PendingMark } from "../../store/pending/pending-lists.ts";
import {
  type CallDecider,
  findCallPersonRefusal,
  findCallStateRefusal,
  findShownState,
} from "./call-rules.ts";
import { hashCall } from "./hash-call.ts";

/** Who reads a call, and when. */
export type CallReading = CallDecider & {
  at: number;
  /** The e-mails of users, by id. */
  emails: ReadonlyMap<string, string>;
};

const valueCharsMax = 4096;

/** A call as lists show it. */
export function presentListedCall(call: PendingMark, reading: CallReading): PendingCall {
  const { at, emails } = reading;
  const { summary, decidedAt, decider, deputyId } = call;
  const refusal = findCallStateRefusal(call, at) ?? findCallPersonRefusal(call, reading);
  return {
    id: call.id,
    reason: call.reason,
    state: findShownState(call, at),
    user: emails.get(call.userId) ?? deletedUser,
    made_by: call.principalName,
    row_label: summary.rowLabel,
    connector_key: summary.connectorKey,
    connector_name: summary.connectorName,
    operation: call.operationKey,
    operation_name: summary.operationName,
    destructive: summary.isDestructive,
    values: summary.values,
    decider: decider.kind === "caller" ? { by: "caller" } : { by: "tags", tags: [...decider.tags] },
    deputy: deputyId === null ? null : (emails.get(deputyId) ?? deletedUser),
    rule_name: summary.ruleName,
    created_at: toTimeText(call.createdAt),
    expires_at: toTimeText(call.expiresAt),
    decided_at: decidedAt === null ? null : toTimeText(decidedAt),
    decided_by: call.decidedByEmail,
    comment: call.comment,
    may_decide: refusal === null,
    refusal,
  };
}

type Around = {
  earlier: readonly EarlierRun[];
  /** The params that stay in a permission for an hour; null if the rule does not allow one. */
  hour: { fixed: readonly string[] } | null;
  mayNameDeputy: boolean;
};

/** A call with what its approvers need to know. */
export function presentPendingCall(
  call: StoredCall,
  reading: CallReading,
  { earlier, hour, mayNameDeputy }: Around,
): PendingCallDetail {
  const { shown, origin, approvedUntil } = call;
  const listed = presentListedCall({ ...call, summary: toCallSummary(shown) }, reading);
  return {
    ...listed,
    values: listDecidingValues(shown.params, valueCharsMax),
    description: shown.description,
    params: shown.params,
    account: shown.account,
    rule_sentence: shown.rule?.sentence || null,
    note: shown.note,
    source: origin.source,
    client: origin.client,
    user_agent: origin.userAgent,
    ip_address: origin.ip,
    decided_via: call.decidedVia,
    approved_until: approvedUntil === null ? null : toTimeText(approvedUntil),
    runs_by_itself: call.runsByItself,
    ended_reason: call.endedReason,
    hour: hour === null ? null : { fixed: [...hour.fixed] },
    may_name_deputy: mayNameDeputy,
    hash: hashCall(call),
    earlier: earlier.map(presentEarlier),
  };
}

function presentEarlier({ startedAt, status, errorCode }: EarlierRun): EarlierCall {
  return { at: toTimeText(startedAt), status, error_code: errorCode };
}
