import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import type { WriteOutcome } from "../database/group-commit.ts";
import type { CommitWorkflowWrites } from "../workflow-runs/workflow-writer.ts";
import { type AppliedWrite, applyWorkflowWrite } from "../workflow-writes/apply-workflow-writes.ts";
import { toRunTransaction } from "../workflow-writes/run-transaction.ts";
import type { Statements } from "../workflow-writes/statements.ts";
import { retryWhileBusy } from "./retry-while-busy.ts";
import { isFaultOfStatement, toStoreError } from "./sqlite-errors.ts";

type WriterDeps = {
  database: Database;
  busyWaitMsMax: number;
};

/** Commits writes of workflow runs in one transaction. The caller holds the lock of the connection. */
export function createSqliteWorkflowWriter(deps: WriterDeps): CommitWorkflowWrites {
  const { database, busyWaitMsMax } = deps;
  const statements = createStatements(database);

  const commitTogether: CommitWorkflowWrites = async (writes, askedAt) => {
    try {
      await retryWhileBusy(busyWaitMsMax, () => database.run("begin immediate"), askedAt);
      const transaction = toRunTransaction(statements);
      const values: AppliedWrite[] = [];
      for (const write of writes) values.push(await applyWorkflowWrite(transaction, write));
      database.run("commit");
      return values.map((value) => ({ ok: true, value }));
    } catch (err) {
      // On a full disk, SQLite has rolled back already.
      if (database.inTransaction) database.run("rollback");
      throw err;
    }
  };

  return async (writes, askedAt) => {
    try {
      return await commitTogether(writes, askedAt);
    } catch (err) {
      if (!isFaultOfStatement(err)) throw toStoreError(err);
      // One write spoils the transaction of all, so each is stored alone.
      const outcomes: WriteOutcome<AppliedWrite>[] = [];
      for (const write of writes) {
        const alone = await commitTogether([write], askedAt).catch((fault) => {
          if (!isFaultOfStatement(fault)) throw toStoreError(fault);
          return [{ ok: false as const, fault }];
        });
        outcomes.push(...alone);
      }
      return outcomes;
    }
  };
}

/** Keeps each statement prepared, since a step needs several. */
function createStatements(database: Database): Statements {
  const prepared = new Map<string, Statement>();
  const prepare = (text: string) => {
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const statement = database.prepare(text);
    prepared.set(text, statement);
    return statement;
  };
  return {
    // The caller names the columns of its own statement.
    all: <R>(text: string, parameters: readonly SQLQueryBindings[]) =>
      prepare(text).all(...parameters) as R[],
    run: (text, parameters) => prepare(text).run(...parameters).changes,
  };
}
