import { toTimeText } from "@hub/contract/time.ts";
import type { WorkflowApproval, WorkflowApprovalDetail } from "@hub/contract/workflow-approval.ts";
import type { Caller } from "../../caller.ts";
import { isVisible, toVisibleTags } from "../../connectors/rows/row-visibility.ts";
import { LOCAL_ADMIN_ID, localAdmin } from "../../identity/local-admin.ts";
import { listApprovalMessages } from "../../store/channels/approval-messages.ts";
import type { Db } from "../../store/database/database.ts";
import { listChannelRows } from "../../store/rows/rows-table.ts";
import { findEmails } from "../../store/search/name-lookups.ts";
import type {
  ApprovalMark,
  ApprovalRecord,
} from "../../store/workflow-runs/workflow-approval-records.ts";
import { type Decider, findPersonRefusal, findStateRefusal, readIds } from "./approval-rules.ts";

/** Who reads an approval, and when. */
export type Reading = Decider & { workflow: { id: string; name: string }; at: number };

/** Which channels the reader sees; null for one who reads nothing of chats. */
type Viewer = Pick<Caller, "role" | "tags"> | null;

/** An approval as lists show it. */
export function presentListed(
  approval: ApprovalMark,
  { workflow, at, ...decider }: Reading,
): WorkflowApproval {
  const { decidedAt, decidedByEmail } = approval;
  // One whose time is over is expired, also before its run has noticed.
  const isLate = approval.state === "pending" && approval.expiresAt <= at;
  const refusal = findStateRefusal(approval, at) ?? findPersonRefusal(approval, decider);
  return {
    id: approval.id,
    workflow_id: workflow.id,
    workflow_name: workflow.name,
    run_id: approval.runId,
    node_id: approval.nodeId,
    state: isLate ? "expired" : approval.state,
    title: approval.title,
    approvers: JSON.parse(approval.approvers),
    started_by: approval.startedBy,
    created_at: toTimeText(approval.createdAt),
    expires_at: toTimeText(approval.expiresAt),
    decided_at: decidedAt === null ? null : toTimeText(decidedAt),
    decided_by: decidedByEmail,
    comment: approval.comment,
    may_decide: refusal === null,
    refusal,
  };
}

/** An approval with what its approvers need to know. */
export async function presentApproval(
  db: Db,
  approval: ApprovalRecord,
  { viewer, ...reading }: Reading & { viewer: Viewer },
): Promise<WorkflowApprovalDetail> {
  const editors = readIds(approval.editorIds);
  const emails = await findEmails(db, editors);
  const willRun: { shown: WorkflowApprovalDetail["will_run"]; more: number } = JSON.parse(
    approval.willRun,
  );
  return {
    ...presentListed(approval, reading),
    details: approval.details,
    version: approval.version,
    edited_by: editors.map((id) => emails.get(id) ?? toUnknown(id)),
    self: approval.isSelf,
    hash: approval.hash,
    will_run: willRun.shown,
    will_run_more: willRun.more,
    asked_in_chat: viewer === null ? [] : await listAsked(db, approval.id, reading.userId, viewer),
  };
}

/**
 * Who is asked in chats, as far as the reader sees the channels. Another's message over a hidden channel is
 * left out; one's own is there without the channel.
 */
async function listAsked(
  db: Db,
  approvalId: string,
  userId: string,
  viewer: NonNullable<Viewer>,
): Promise<WorkflowApprovalDetail["asked_in_chat"]> {
  const messages = await listApprovalMessages(db, approvalId);
  if (messages.length === 0) return [];
  const rows = await listChannelRows(db, { taggedAmong: toVisibleTags(viewer) });
  const channels = new Map(
    rows.filter((row) => isVisible(viewer, row)).map((row) => [row.id, row]),
  );
  return messages.flatMap(({ rowId, email, kind, shown, dueAt, failure, ...message }) => {
    const row = rowId === null ? undefined : channels.get(rowId);
    const isSeen = row !== undefined || viewer.role === "admin";
    if (!isSeen && message.userId !== userId) return [];
    const state = shown !== null ? "sent" : dueAt === null ? "failed" : "waiting";
    const channel = row?.slug == null ? null : { slug: row.slug, label: row.label };
    return [{ email, kind, channel, state, failure: isSeen ? failure : null } as const];
  });
}

/** The local admin is no user, and a user may have been deleted. */
function toUnknown(id: string): string {
  return id === LOCAL_ADMIN_ID ? localAdmin.email : id;
}
