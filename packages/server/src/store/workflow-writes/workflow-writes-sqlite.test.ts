import { Database, type SQLQueryBindings } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate } from "../migrate.ts";
import { newStep, newWorkflowRun, queueOf } from "../test-data.ts";
import type { AcceptWrite, CommitWrite } from "../workflow-runs/workflow-run-records.ts";
import { applyWorkflowWrite } from "./apply-workflow-writes.ts";
import { toRunTransaction } from "./run-transaction.ts";
import type { Statements } from "./statements.ts";

test("No write of a workflow's run reads the other runs of the workflow, which may be a million", async () => {
  using database = new Database();
  await migrate(database);
  const asked = new Set<string>();
  const statements: Statements = {
    all<R>(text: string, parameters: readonly SQLQueryBindings[]) {
      asked.add(text);
      // The caller names the columns of its own statement.
      return database.query(text).all(...parameters) as R[];
    },
    run(text, parameters) {
      asked.add(text);
      return database.query(text).run(...parameters).changes;
    },
  };
  const transaction = () => toRunTransaction(statements);
  const queue = queueOf({ policy: "queue" });
  const accept = async (write: Partial<AcceptWrite> = {}) => {
    const run = newWorkflowRun();
    const given = { run, queue, deliveryId: run.id, claimBy: "one", ...write };
    await applyWorkflowWrite(transaction(), { kind: "accept", write: given });
    return given.run;
  };
  const first = await accept();
  const second = await accept();
  await accept({ run: newWorkflowRun({ scheduledAt: 9_000 }) });
  const write: CommitWrite = {
    runId: first.id,
    workflowId: "wf",
    lease: { instanceId: "one", number: 1 },
    at: 2_000,
    steps: [newStep()],
    answer: "{}",
    starts: [],
    transition: {
      kind: "end",
      state: "failed",
      error: null,
      lastNode: null,
      waiterRunId: null,
      activeMs: 1,
      queue,
      claimBy: null,
    },
  };
  await applyWorkflowWrite(transaction(), { kind: "commit", write });
  const claim = { runId: second.id, workflowId: "wf", instanceId: "two", at: 3_000, queue };
  const claimed = await applyWorkflowWrite(transaction(), { kind: "claim", write: claim });
  expect(claimed.result).not.toBeNull();
  const third = await accept();
  const cancel = { runId: third.id, workflowId: "wf", at: 3_000, reason: "No", queue };
  const cancelled = await applyWorkflowWrite(transaction(), { kind: "cancel", write: cancel });
  expect(cancelled.result).toBe("cancelled");
  const explain = (text: string) =>
    database.query<{ detail: string }, []>(`explain query plan ${text}`).all();
  for (const text of asked) {
    for (const { detail } of explain(text)) {
      expect([text, detail]).not.toEqual([
        text,
        expect.stringMatching(/workflow_runs_pages|^SCAN workflow/),
      ]);
    }
  }
  expect(asked.size).toBeGreaterThan(10);
});
