import { CompiledQuery, type Kysely } from "kysely";
import type { Connection } from "../database/connection.ts";
import type { WriteOutcome } from "../database/group-commit.ts";
import { retryConflicts } from "../database/retry-conflicts.ts";
import type { Tables } from "../database/tables.ts";
import type { CommitWorkflowWrites } from "../workflow-runs/workflow-writer.ts";
import {
  type AppliedWrite,
  applyWorkflowWrite,
  listLockKeys,
  type WorkflowWrite,
} from "../workflow-writes/apply-workflow-writes.ts";
import { toRunTransaction } from "../workflow-writes/run-transaction.ts";
import type { Statements } from "../workflow-writes/statements.ts";
import { isFaultOfStatement } from "./postgres-errors.ts";

/**
 * Commits writes of workflow runs in one transaction, beside which no other one about the same workflows
 * runs: it counts the runs that it starts.
 */
export function createPostgresWorkflowWriter({
  beginExclusive,
  isConflict,
}: Pick<Connection, "beginExclusive" | "isConflict">): CommitWorkflowWrites {
  const commitTogether = (writes: readonly WorkflowWrite[]) => {
    const begin: Connection["begin"] = (work) => beginExclusive(listLockKeys(writes), work);
    // The end of a run wakes a run of another workflow, whose rows have other locks.
    return retryConflicts({ begin, isConflict }, async (kysely) => {
      const transaction = toRunTransaction(createStatements(kysely));
      const values: AppliedWrite[] = [];
      for (const write of writes) values.push(await applyWorkflowWrite(transaction, write));
      return values.map((value) => ({ ok: true as const, value }));
    });
  };

  return async (writes) => {
    try {
      return await commitTogether(writes);
    } catch (err) {
      if (!isFaultOfStatement(err)) throw err;
      // One write spoils the transaction of all, so each is stored alone.
      const outcomes: WriteOutcome<AppliedWrite>[] = [];
      for (const write of writes) {
        const alone = await commitTogether([write]).catch((fault) => {
          if (!isFaultOfStatement(fault)) throw fault;
          return [{ ok: false as const, fault }];
        });
        outcomes.push(...alone);
      }
      return outcomes;
    }
  };
}

function createStatements(kysely: Kysely<Tables>): Statements {
  const execute = <R>(text: string, parameters: readonly unknown[]) =>
    kysely.executeQuery<R>(CompiledQuery.raw(number(text), [...parameters]));
  return {
    all: async <R>(text: string, parameters: readonly unknown[]) =>
      (await execute<R>(text, parameters)).rows,
    run: async (text, parameters) =>
      Number((await execute(text, parameters)).numAffectedRows ?? 0n),
  };
}

const numbered = new Map<string, string>();

/** PostgreSQL numbers its parameters. */
function number(text: string): string {
  const known = numbered.get(text);
  if (known !== undefined) return known;
  let position = 0;
  const made = text.replaceAll("?", () => `$${++position}`);
  numbered.set(text, made);
  return made;
}
