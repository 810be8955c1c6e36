import type { Database, SQLQueryBindings } from "bun:sqlite";
import { HubError } from "../../errors.ts";
import { toFlag } from "../database/tables/flag.ts";
import { type RuleUse, refuseUse, toUseStatement } from "../rules/rule-uses.ts";
import type { NewRun, RunOutcome, RunWrite } from "../runs/run-recorder.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { isFaultOfStatement, toStoreError } from "./sqlite-errors.ts";

type RunWriterDeps = { database: Database; busyWaitMsMax: number };

/**
 * Commits audit writes in one transaction. Returns for each write its own error, or undefined.
 * Throws if nothing was committed. `askedAt` is a time of `performance.now()`.
 */
export function createSqliteRunWriter({ database, busyWaitMsMax }: RunWriterDeps) {
  const begin = database.prepare("begin immediate");
  const commit = database.prepare("commit");
  const insert = database.prepare(`
    insert into connector_runs (
      ${begunColumns}, status, error_code, error_msg, response, latency_ms, http_status, unreached, ended_at
    ) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  // The columns of an outcome stay at their default.
  const insertRunning = database.prepare(`
    insert into connector_runs (${begunColumns}, status)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'running')`);
  const update = database.prepare(`
    update connector_runs
    set status = ?, error_code = ?, error_msg = ?, response = ?, latency_ms = ?, http_status = ?, unreached = ?,
      ended_at = ?
    where id = ?`);
  // Most calls succeed, and SQLite looks at no index of failures for them.
  const updateSuccess = database.prepare(`
    update connector_runs
    set status = 'success', response = ?, latency_ms = ?, http_status = ?, ended_at = ?
    where id = ? and error_code is null and error_msg is null and unreached is null`);

  const updateRequest = database.prepare(
    "update connector_runs set request = ?, request_cut = ? where id = ?",
  );

  const countUse = database.prepare(
    toUseStatement({
      userId: "?1",
      windowStart: "?2",
      ruleId: "?3",
      revision: "?4",
      max: "?5",
    }),
  );

  /** In the transaction of the record. */
  function takeUse({ userId, windowStart, ruleId, revision, max }: RuleUse): void {
    const { changes } = countUse.run(userId, windowStart, ruleId, revision, max);
    if (changes === 0) throw refuseUse();
  }

  function finish(id: string, outcome: RunOutcome): void {
    const { resealed } = outcome;
    const isFinished =
      (isPlainSuccess(outcome) && finishSuccess(id, outcome)) ||
      update.run(...toOutcomeColumns(outcome), id).changes > 0;
    if (resealed) updateRequest.run(resealed.request, toFlag(resealed.requestCut), id);
    if (!isFinished) throw new Error(`There is no run ${id} to finish.`);
  }

  /** False for a run that another process took for dead meanwhile: it has a message. */
  function finishSuccess(id: string, outcome: RunOutcome): boolean {
    const { response, latencyMs, httpStatus, endedAt } = outcome;
    return updateSuccess.run(response, latencyMs, httpStatus, endedAt, id).changes > 0;
  }

  function write(entry: RunWrite): void {
    switch (entry.kind) {
      case "finish":
        finish(entry.id, entry.outcome);
        return;
      case "begin":
        if (entry.use !== undefined) takeUse(entry.use);
        insertRunning.run(...toBegunColumns(entry.run));
        return;
      case "insertFinished":
        insert.run(...toBegunColumns(entry.run), ...toOutcomeColumns(entry.outcome));
    }
  }

  return async function writeRuns(
    entries: readonly RunWrite[],
    askedAt: number,
  ): Promise<unknown[]> {
    try {
      await retryWhileBusy(busyWaitMsMax, () => begin.run(), askedAt);
      const faults = entries.map((entry) => {
        try {
          write(entry);
          return undefined;
        } catch (err) {
          if (!(err instanceof HubError) && !isFaultOfStatement(err)) throw err;
          return err;
        }
      });
      commit.run();
      return faults;
    } catch (err) {
      // On a full disk, SQLite has rolled back already.
      if (database.inTransaction) database.run("rollback");
      throw toStoreError(err);
    }
  };
}

const begunColumns = `
  id, parent_run_id, connector_id, row_label, operation_key, user_id, token_id, source, request,
  request_cut, ip_address, user_agent, workflow_run_id, started_by, cause_kind, cause_id,
  instance_id, started_at, account`;

function toBegunColumns(run: NewRun): SQLQueryBindings[] {
  return [
    run.id,
    run.parentRunId,
    run.connectorId,
    run.rowLabel,
    run.operationKey,
    run.userId,
    run.tokenId,
    run.source,
    run.request,
    toFlag(run.requestCut),
    run.ipAddress,
    run.userAgent,
    run.workflowRunId,
    run.startedBy,
    run.causeKind,
    run.causeId,
    run.instanceId,
    run.startedAt,
    run.account,
  ];
}

function isPlainSuccess({ status, errorCode, errorMsg, isUnreached }: RunOutcome): boolean {
  return status === "success" && errorCode === null && errorMsg === null && isUnreached !== true;
}

function toOutcomeColumns(outcome: RunOutcome): SQLQueryBindings[] {
  return [
    outcome.status,
    outcome.errorCode,
    outcome.errorMsg,
    outcome.response,
    outcome.latencyMs,
    outcome.httpStatus,
    outcome.isUnreached === true ? 1 : null,
    outcome.endedAt,
  ];
}
