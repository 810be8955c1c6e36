import { Database, type SQLQueryBindings } from "bun:sqlite";
import { expect, test } from "bun:test";
import { migrate } from "../migrate.ts";
import { newWorkflowRun, queueOf } from "../test-data.ts";
import type {
  Acceptance,
  ClaimedRun,
  Commitment,
  Lease,
  RunTransition,
} from "../workflow-runs/workflow-run-records.ts";
import { applyWorkflowWrite, type WorkflowWrite } from "./apply-workflow-writes.ts";
import { createRunCounts } from "./count-active-runs.ts";
import { toRunTransaction } from "./run-transaction.ts";
import type { Statements } from "./statements.ts";

test("The counts of a transaction follow each of its writes, as if they were read again", async () => {
  using database = new Database();
  await migrate(database);
  const statements: Statements = {
    // The caller names the columns of its own statement.
    all: <R>(text: string, parameters: readonly SQLQueryBindings[]) =>
      database.query(text).all(...parameters) as R[],
    run: (text, parameters) => database.query(text).run(...parameters).changes,
  };
  const transaction = toRunTransaction(statements);
  const ids: string[] = [];
  const leases = new Map<string, Lease>();
  const queue = queueOf({ runsAtOnce: 2, waitingMax: 6 });
  const take = (run: ClaimedRun | null) => {
    if (run !== null) leases.set(run.id, run.lease);
  };
  const shared = { workflowId: "wf", at: 10_000, queue };

  async function accept(claimBy: string | null, scheduledAt: number | null): Promise<void> {
    const run = newWorkflowRun({ scheduledAt });
    ids.push(run.id);
    const write = { run, queue, deliveryId: null, claimBy };
    const accepted = (await apply({ kind: "accept", write })) as Acceptance;
    if (accepted.kind === "started") leases.set(run.id, accepted.lease);
  }
  async function advance(runId: string, next: RunTransition): Promise<void> {
    const lease = leases.get(runId) ?? { instanceId: "none", number: 0 };
    const write = {
      ...shared,
      runId,
      lease,
      steps: [],
      answer: null,
      starts: [],
      transition: next,
    };
    const committed = (await apply({ kind: "commit", write })) as Commitment;
    if (!committed.lost) take(committed.next);
  }
  const apply = async (write: WorkflowWrite) =>
    (await applyWorkflowWrite(transaction, write)).result;
  const given = { activeMs: 1, queue, claimBy: "one" };
  const end = { error: null, lastNode: null, waiterRunId: null, ...given };
  const verbs: Array<(runId: string) => Promise<unknown>> = [
    () => accept("one", null),
    () => accept(null, null),
    () => accept(null, 9_000),
    (runId) => advance(runId, { kind: "end", state: "failed", ...end, claimBy: null }),
    (runId) => advance(runId, { kind: "end", state: "succeeded", ...end }),
    (runId) => advance(runId, { kind: "park", dueAt: 9_000, waitingFor: "{}", ...given }),
    (runId) => apply({ kind: "cancel", write: { ...shared, runId, reason: "No" } }),
    async (runId) => {
      const write = { ...shared, runId, instanceId: "two" };
      take((await apply({ kind: "claim", write })) as ClaimedRun | null);
    },
  ];

  const seen = { running: 0, waiting: 0, queued: 0, scheduled: 0 };
  // A fixed sequence that looks random: a failure can be repeated.
  let state = 7;
  const pick = <T>(values: readonly T[]): T | undefined => {
    state = (state * 48_271) % 2_147_483_647;
    return values[state % values.length];
  };
  for (let count = 0; count < 600; count += 1) {
    await pick(verbs)?.(pick(ids.slice(-20)) ?? "none");
    for (const kind of ["running", "waiting", "queued", "scheduled"] as const) {
      const read = await createRunCounts(statements).count("wf", kind);
      const followed = await transaction.counts.count("wf", kind);
      expect([count, kind, followed.runs]).toEqual([count, kind, read.runs]);
      if (kind === "queued") expect([count, followed.bytes]).toEqual([count, read.bytes]);
      seen[kind] = Math.max(seen[kind], read.runs);
    }
  }
  expect(Math.min(...Object.values(seen))).toBeGreaterThan(0);
});
