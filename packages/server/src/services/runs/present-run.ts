import type { Run } from "@hub/contract/run.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { localAdmin } from "../../identity/local-admin.ts";
import type { Db } from "../../store/database/database.ts";
import type { ListedRun } from "../../store/runs/runs-table.ts";
import { findEmails } from "../../store/search/name-lookups.ts";

/** E-mails of the users who made these runs, by user id, with the local admin's. */
export async function loadEmails(
  db: Db,
  runs: readonly Pick<ListedRun, "userId">[],
): Promise<ReadonlyMap<string, string>> {
  const emails = await findEmails(
    db,
    runs.map(({ userId }) => userId),
  );
  return new Map(emails).set(localAdmin.userId, localAdmin.email);
}

/** A stored run as lists show it. */
export function toRun(run: ListedRun, emails: ReadonlyMap<string, string>): Run {
  return {
    id: run.id,
    parent_run_id: run.parentRunId,
    connector_id: run.connectorId,
    row_label: run.rowLabel,
    operation_key: run.operationKey,
    user_id: run.userId,
    user: emails.get(run.userId) ?? null,
    token_id: run.tokenId,
    source: run.source,
    status: run.status,
    error_code: run.errorCode,
    error_msg: run.errorMsg,
    latency_ms: run.latencyMs,
    http_status: run.httpStatus,
    ip_address: run.ipAddress,
    user_agent: run.userAgent,
    workflow_run_id: run.workflowRunId,
    started_by: run.startedBy,
    started_at: toTimeText(run.startedAt),
    ended_at: run.endedAt === null ? null : toTimeText(run.endedAt),
  };
}
