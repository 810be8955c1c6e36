import type { Selectable } from "kysely";
import type { CallBounds } from "../../lib/call-bounds.ts";
import type {
  ConfirmedBy,
  PendingReason,
  PendingState,
  PendingTables,
} from "../database/tables/pending-tables.ts";

/** Who may decide a call: the person whose client made it, or others with one of the tags. */
export type Decider = { kind: "caller" } | { kind: "tags"; tags: string[] };

/** What a person sees of a call. Secrets and value tokens are masked already. */
export type ShownCall = {
  rowLabel: string;
  /** The key of the row's connector. */
  connectorKey: string;
  /** Its name when the call was made. */
  connectorName: string;
  operationName: string;
  description: string;
  isDestructive: boolean;
  /** JSON, with secrets as bullets. */
  params: unknown;
  /** The label of the account of its user that it would use; null for the access of its row. */
  account: string | null;
  /** The id of that account. */
  accountId: string | null;
  /** Null if no rule asked. */
  rule: { name: string; sentence: string } | null;
  /** What the hub knows of an equal call before it. */
  note: string | null;
};

/** From where a call came, as its client says. */
export type PendingOrigin = {
  source: "mcp" | "test" | "retry" | "workflow";
  ip: string | null;
  userAgent: string | null;
  client: { name: string; version: string } | null;
  /** The part of the operations that its caller could use; absent for all of them. */
  scope?: { profile: string };
  /** The bounds of its token, also if a workflow or a script of that token made it. Absent for calls without bounds. */
  bounds?: CallBounds;
  /** The step of a workflow's run; absent for other calls. */
  step?: OriginStep;
};

export type OriginStep = {
  nodeId: string;
  /** -1, or the index of the item of `for_each`. */
  item: number;
  /** 1 for the first try. */
  attempt: number;
};

/** A call that was not answered at once. */
export type PendingCall = {
  id: string;
  userId: string;
  /** See `formatPrincipal`. */
  principal: string;
  principalName: string;
  rowId: string;
  operationKey: string;
  reason: PendingReason;
  state: PendingState;
  sealed: Uint8Array;
  digestKey: number;
  digest: string;
  basis: string;
  shown: ShownCall;
  decider: Decider;
  /** Ids of the users who may not decide. */
  excluded: string[];
  ruleId: string | null;
  ruleRevision: number | null;
  confirm: ConfirmedBy;
  runsByItself: boolean;
  origin: PendingOrigin;
  askedRunId: string | null;
  createdAt: number;
  expiresAt: number;
  approvedUntil: number | null;
  decidedAt: number | null;
  decidedBy: string | null;
  decidedByEmail: string | null;
  decidedVia: string | null;
  comment: string | null;
  runId: string | null;
  instanceId: string | null;
  result: Uint8Array | null;
  resultAt: number | null;
  keepUntil: number;
  isTask: boolean;
  endedReason: string | null;
  deputyId: string | null;
  deputyBy: string | null;
  remindedAt: number | null;
  chatState: string;
};

export function toPendingCall(row: Selectable<PendingTables["pending_calls"]>): PendingCall {
  return {
    id: row.id,
    userId: row.user_id,
    principal: row.principal,
    principalName: row.principal_name,
    rowId: row.row_id,
    operationKey: row.operation_key,
    reason: row.reason,
    state: row.state,
    sealed: row.sealed,
    digestKey: row.digest_key,
    digest: row.digest,
    basis: row.basis,
    shown: JSON.parse(row.shown),
    decider: JSON.parse(row.decider),
    excluded: JSON.parse(row.excluded),
    ruleId: row.rule_id,
    ruleRevision: row.rule_revision,
    confirm: row.confirm,
    runsByItself: row.runs_by_itself === 1,
    origin: JSON.parse(row.origin),
    askedRunId: row.asked_run_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    approvedUntil: row.approved_until,
    decidedAt: row.decided_at,
    decidedBy: row.decided_by,
    decidedByEmail: row.decided_by_email,
    decidedVia: row.decided_via,
    comment: row.comment,
    runId: row.run_id,
    instanceId: row.instance_id,
    result: row.result,
    resultAt: row.result_at,
    keepUntil: row.keep_until,
    isTask: row.task > 0,
    endedReason: row.ended_reason,
    deputyId: row.deputy_id,
    deputyBy: row.deputy_by,
    remindedAt: row.reminded_at,
    chatState: row.chat_state,
  };
}
