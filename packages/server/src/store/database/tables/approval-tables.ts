import type { Generated } from "kysely";
import type { ApprovalState as WorkflowApprovalState } from "../../workflow-runs/workflow-approval-records.ts";
import type { Flag } from "./flag.ts";

/** The tables of approvals, and their messages in chats. */
type MessageColumns = {
  id: string;
  user_id: string;
  kind: string;
  team_id: string;
  account_id: string;
  hash: string;
  row_id: string | null;
  channel_id: string | null;
  ts: string | null;
  /** The state that the message shows. */
  shown: string | null;
  attempts: Generated<number>;
  due_at: number | null;
  failure: string | null;
};

export type ApprovalTables = {
  workflow_approvals: {
    id: string;
    workflow_id: string;
    run_id: string;
    node_id: string;
    body_id: string;
    version: number | null;
    owner_id: string;
    state: WorkflowApprovalState;
    title: string;
    details: string;
    /** JSON. */
    approvers: string;
    is_self: Flag;
    started_by: string;
    /** JSON. */
    starter_ids: string;
    editor_ids: string;
    will_run: string;
    expected: string;
    hash: string;
    created_at: number;
    expires_at: number;
    decided_at: number | null;
    decided_by: string | null;
    decided_by_email: string | null;
    comment: string | null;
    chat_state: Generated<WorkflowApprovalState | "">;
    /** JSON. */
    summary: string | null;
  };
  workflow_approvers: { approval_id: string; kind: "tag" | "user"; name: string; email: string };
  approval_messages: MessageColumns & { approval_id: string };
  /** As `approval_messages`, about calls that wait. */
  call_messages: MessageColumns & { call_id: string };
};

/** The columns of those that are read whole. */
export const approvalColumns = {
  workflow_approvals: [
    "id",
    "workflow_id",
    "run_id",
    "node_id",
    "body_id",
    "version",
    "owner_id",
    "state",
    "title",
    "details",
    "approvers",
    "is_self",
    "started_by",
    "starter_ids",
    "editor_ids",
    "will_run",
    "expected",
    "hash",
    "created_at",
    "expires_at",
    "decided_at",
    "decided_by",
    "decided_by_email",
    "comment",
    "chat_state",
    "summary",
  ],
  approval_messages: [
    "id",
    "approval_id",
    "user_id",
    "kind",
    "team_id",
    "account_id",
    "hash",
    "row_id",
    "channel_id",
    "ts",
    "shown",
    "attempts",
    "due_at",
    "failure",
  ],
  call_messages: [
    "id",
    "call_id",
    "user_id",
    "kind",
    "team_id",
    "account_id",
    "hash",
    "row_id",
    "channel_id",
    "ts",
    "shown",
    "attempts",
    "due_at",
    "failure",
  ],
} as const satisfies {
  [Table in keyof ApprovalTables]?: ReadonlyArray<keyof ApprovalTables[Table]>;
};
