import { workflowPrefix } from "../pending/workflow-principal.ts";
import type { NewApproval } from "../workflow-runs/workflow-approval-records.ts";
import type { RunTransaction } from "./run-transaction.ts";

/** Stores a question with the step that asks it. A repeated commit stores it once. */
export async function insertApproval(db: RunTransaction, approval: NewApproval): Promise<void> {
  const inserted = await db.run(
    `insert into workflow_approvals (
       id, workflow_id, run_id, node_id, body_id, version, owner_id, state, title, details, approvers,
       is_self, started_by, starter_ids, editor_ids, will_run, expected, hash, created_at, expires_at,
       summary
     ) values (?, ?, ?, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do nothing`,
    [
      approval.id,
      approval.workflowId,
      approval.runId,
      approval.nodeId,
      approval.bodyId,
      approval.version,
      approval.ownerId,
      approval.title,
      approval.details,
      approval.approvers,
      approval.isSelf ? 1 : 0,
      approval.startedBy,
      approval.starterIds,
      approval.editorIds,
      approval.willRun,
      approval.expected,
      approval.hash,
      approval.createdAt,
      approval.expiresAt,
      approval.summary,
    ],
  );
  if (inserted === 0) return;
  for (const one of approval.people) {
    const [name, email] = one.kind === "tag" ? [one.name, ""] : [one.userId, one.email];
    await db.run(
      `insert into workflow_approvers (approval_id, kind, name, email) values (?, ?, ?, ?)
       on conflict (approval_id, kind, name) do nothing`,
      [approval.id, one.kind, name, email],
    );
  }
}

/** Ends the questions of a run that ends early: of its approval nodes, and about its calls. */
export async function endQuestions(db: RunTransaction, runId: string, at: number): Promise<void> {
  await db.run(
    `update workflow_approvals set state = 'cancelled', decided_at = ?
     where run_id = ? and state = 'pending'`,
    [at, runId],
  );
  // The states twice: SQLite uses a partial index only for a condition that is its own.
  await db.run(
    `update pending_calls set state = 'ended', ended_reason = 'the run of the workflow has ended'
     where user_id = (select owner_id from workflow_runs where id = ?) and principal = ?
       and state in ('open', 'approved', 'running', 'done', 'denied', 'unknown')
       and state in ('open', 'approved')`,
    [runId, `${workflowPrefix}${runId}`],
  );
}
