import type { Db } from "../database/database.ts";
import type { NewApproval } from "../workflow-runs/workflow-approval-records.ts";
import { createRunCounts } from "../workflow-writes/count-active-runs.ts";
import { insertApproval } from "../workflow-writes/write-approvals.ts";
import { runSql } from "./run-sql.ts";

export function newApproval(given: Partial<NewApproval> = {}): NewApproval {
  return {
    id: crypto.randomUUID(),
    workflowId: "wf",
    runId: Bun.randomUUIDv7(),
    nodeId: "ask",
    bodyId: "body",
    version: 1,
    ownerId: "ann",
    title: "Send?",
    details: "",
    approvers: '{"tags":[],"users":[]}',
    isSelf: false,
    startedBy: "test",
    starterIds: "[]",
    editorIds: "[]",
    willRun: '{"shown":[],"more":0}',
    summary: null,
    expected: "{}",
    hash: "h",
    createdAt: 1_000,
    expiresAt: 9_000,
    people: [],
    ...given,
  };
}

/** Stores an approval without a run that asks for it. */
export async function insertTestApproval(
  db: Db,
  given: Partial<NewApproval> = {},
): Promise<NewApproval> {
  const approval = newApproval(given);
  const statements = {
    all: async <R>(text: string, parameters: readonly unknown[]) =>
      await runSql<R>(db, text, ...parameters),
    run: async (text: string, parameters: readonly unknown[]) => {
      await runSql(db, text, ...parameters);
      return 1;
    },
  };
  await insertApproval({ ...statements, counts: createRunCounts(statements) }, approval);
  return approval;
}
