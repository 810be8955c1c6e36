import type { Selectable } from "kysely";
import type { Tables } from "../database/tables.ts";
import type { ApprovalMark, ApprovalRecord } from "./workflow-approval-records.ts";

/** All but the large ones. */
export const markColumns = [
  "id",
  "workflow_id",
  "run_id",
  "node_id",
  "body_id",
  "version",
  "owner_id",
  "state",
  "title",
  "approvers",
  "is_self",
  "started_by",
  "starter_ids",
  "editor_ids",
  "hash",
  "created_at",
  "expires_at",
  "decided_at",
  "decided_by",
  "decided_by_email",
  "comment",
  "summary",
] as const;

export function toRecord(stored: Selectable<Tables["workflow_approvals"]>): ApprovalRecord {
  const { details, will_run: willRun, expected } = stored;
  return { ...toMark(stored), details, willRun, expected };
}

export function toMark(
  stored: Pick<Selectable<Tables["workflow_approvals"]>, (typeof markColumns)[number]>,
): ApprovalMark {
  return {
    id: stored.id,
    workflowId: stored.workflow_id,
    runId: stored.run_id,
    nodeId: stored.node_id,
    bodyId: stored.body_id,
    version: stored.version,
    ownerId: stored.owner_id,
    state: stored.state,
    title: stored.title,
    approvers: stored.approvers,
    isSelf: stored.is_self === 1,
    startedBy: stored.started_by,
    starterIds: stored.starter_ids,
    editorIds: stored.editor_ids,
    hash: stored.hash,
    createdAt: stored.created_at,
    expiresAt: stored.expires_at,
    decidedAt: stored.decided_at,
    decidedBy: stored.decided_by,
    decidedByEmail: stored.decided_by_email,
    comment: stored.comment,
    summary: stored.summary,
  };
}
