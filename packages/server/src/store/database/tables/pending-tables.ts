import type { Generated } from "kysely";
import type { Flag } from "./flag.ts";

/** The tables of calls that wait, and of permits. */
export type PendingTables = {
  pending_calls: {
    id: string;
    user_id: string;
    principal: string;
    principal_name: string;
    row_id: string;
    operation_key: string;
    reason: PendingReason;
    state: PendingState;
    sealed: Uint8Array;
    digest_key: number;
    digest: string;
    basis: string;
    shown: string;
    summary: string;
    decider: string;
    excluded: string;
    rule_id: string | null;
    rule_revision: number | null;
    confirm: Generated<ConfirmedBy>;
    runs_by_itself: Generated<Flag>;
    origin: string;
    asked_run_id: string | null;
    created_at: number;
    expires_at: number;
    approved_until: number | null;
    decided_at: number | null;
    decided_by: string | null;
    decided_by_email: string | null;
    decided_via: string | null;
    comment: string | null;
    run_id: string | null;
    instance_id: string | null;
    result: Uint8Array | null;
    result_at: number | null;
    keep_until: number;
    /** 1 for a task of a client, 2 once the client has answered what the task asked. */
    task: Generated<0 | 1 | 2>;
    ended_reason: string | null;
    deputy_id: string | null;
    deputy_by: string | null;
    reminded_at: number | null;
    chat_state: Generated<string>;
  };
  pending_call_deciders: {
    call_id: string;
    kind: "tag" | "user";
    name: string;
  };
  call_permits: {
    id: string;
    user_id: string;
    principal: string;
    principal_name: string;
    row_id: string;
    operation_key: string;
    account: Generated<string>;
    rule_id: string;
    rule_revision: number;
    basis: string;
    fixed: string;
    created_at: number;
    expires_at: number;
    granted_by: string;
    granted_by_email: string;
    ended_at: number | null;
    call_id: string;
  };
};

/** The columns of those that are read whole. */
export const pendingColumns = {
  pending_calls: [
    "id",
    "user_id",
    "principal",
    "principal_name",
    "row_id",
    "operation_key",
    "reason",
    "state",
    "sealed",
    "digest_key",
    "digest",
    "basis",
    "shown",
    "summary",
    "decider",
    "excluded",
    "rule_id",
    "rule_revision",
    "confirm",
    "runs_by_itself",
    "origin",
    "asked_run_id",
    "created_at",
    "expires_at",
    "approved_until",
    "decided_at",
    "decided_by",
    "decided_by_email",
    "decided_via",
    "comment",
    "run_id",
    "instance_id",
    "result",
    "result_at",
    "keep_until",
    "task",
    "ended_reason",
    "deputy_id",
    "deputy_by",
    "reminded_at",
    "chat_state",
  ],
  call_permits: [
    "id",
    "user_id",
    "principal",
    "principal_name",
    "row_id",
    "operation_key",
    "account",
    "rule_id",
    "rule_revision",
    "basis",
    "fixed",
    "created_at",
    "expires_at",
    "granted_by",
    "granted_by_email",
    "ended_at",
    "call_id",
  ],
} as const satisfies { [Table in keyof PendingTables]?: ReadonlyArray<keyof PendingTables[Table]> };

/** Why a call was not answered at once. */
export type PendingReason = "approval" | "account" | "input" | "running";

export type PendingState =
  | "open"
  | "approved"
  | "running"
  | "done"
  | "unknown"
  | "denied"
  | "expired"
  | "changed"
  | "ended";

/** Where a call is confirmed: on a page of the hub, or by a form in the client too. */
export type ConfirmedBy = "page" | "client";
