import type { Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { toFlag } from "../database/tables/flag.ts";
import type { NewRun } from "./run-recorder.ts";

/** Stores the record of a call that begins, in the transaction that uses its approval. Other calls go through the recorder. */
export async function insertRunningRun(trx: Transaction, run: NewRun): Promise<void> {
  await toKysely(trx)
    .insertInto("connector_runs")
    .values({
      id: run.id,
      parent_run_id: run.parentRunId,
      connector_id: run.connectorId,
      row_label: run.rowLabel,
      operation_key: run.operationKey,
      user_id: run.userId,
      token_id: run.tokenId,
      source: run.source,
      status: "running",
      request: run.request,
      request_cut: toFlag(run.requestCut),
      ip_address: run.ipAddress,
      user_agent: run.userAgent,
      workflow_run_id: run.workflowRunId,
      started_by: run.startedBy,
      cause_kind: run.causeKind,
      cause_id: run.causeId,
      instance_id: run.instanceId,
      started_at: run.startedAt,
      account: run.account ?? null,
    })
    .execute();
}
