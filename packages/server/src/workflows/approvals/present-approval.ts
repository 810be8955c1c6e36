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
import { noNames, readSummary, readWillRun, toSubject } from "./approval-summary.ts";

/** Who reads an approval, and when. */
export type Reading = Decider & {
  /** Who sees all rows. */
  isAdmin: boolean;
  workflow: { id: string; name: string };
  at: number;
};

/** Which channels the reader sees; null for one who reads nothing of chats. */
type Viewer = Pick<Caller, "role" | "tags"> | null;

type DetailReading = Reading & {
  viewer: Viewer;
  /** Whether the workflow and its runs exist for the reader. */
  seesWorkflow: boolean;
};

/** An approval as lists show it. */
export function presentListed(
  approval: ApprovalMark,
  { workflow, at, isAdmin, ...decider }: Reading,
): WorkflowApproval {
  const { values, subject } = readSummary(approval);
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
    values,
    subject: seesNames(approval, { ...decider, isAdmin }) ? subject : null,
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

/**
 * Whether a reader learns the names of the rows that are acted on: an approver decides about them, and the user as
 * whom the run acts saw them. Another owner of the workflow may not see the rows.
 */
function seesNames(
  { ownerId }: ApprovalMark,
  { isApprover, isLocal, isAdmin, userId }: Decider & { isAdmin: boolean },
): boolean {
  return isApprover || isLocal || isAdmin || ownerId === userId;
}

/** An approval with what its approvers need to know. */
export async function presentApproval(
  db: Db,
  approval: ApprovalRecord,
  { viewer, seesWorkflow, ...reading }: DetailReading,
): Promise<WorkflowApprovalDetail> {
  const editors = readIds(approval.editorIds);
  const emails = await findEmails(db, editors);
  const willRun = readWillRun(approval);
  const isNamed = seesNames(approval, reading);
  const shown = isNamed ? willRun.shown : willRun.shown.map((node) => ({ ...node, ...noNames }));
  const [first] = shown;
  return {
    ...presentListed(approval, reading),
    values: willRun.values,
    subject: isNamed && first !== undefined ? toSubject(first) : null,
    details: approval.details,
    version: approval.version,
    sees_workflow: seesWorkflow,
    edited_by: editors.map((id) => emails.get(id) ?? toUnknown(id)),
    self: approval.isSelf,
    hash: approval.hash,
    will_run: shown,
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
