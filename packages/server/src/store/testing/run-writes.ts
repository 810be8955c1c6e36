import { newWorkflowRun, queueOf } from "../test-data.ts";
import type { AcceptWrite, CommitWrite, Lease } from "../workflow-runs/workflow-run-records.ts";
import { findWorkflowRun } from "../workflow-runs/workflow-runs-table.ts";
import type { TestStores } from "./test-stores.ts";

/** Writes of workflow runs, with values for what a test does not name. */
export function createRunWrites(stores: () => TestStores) {
  const accept = (given: Partial<AcceptWrite> = {}) => {
    const write = { run: newWorkflowRun(), queue: queueOf(), deliveryId: null, claimBy: "one" };
    return stores().store.workflowRuns.accept({ ...write, ...given });
  };
  const commit = (runId: string, lease: Lease, given: Partial<CommitWrite> = {}) =>
    stores().store.workflowRuns.commit({
      runId,
      workflowId: "wf",
      lease,
      at: 1_000,
      steps: [],
      answer: null,
      starts: [],
      transition: { kind: "go_on" },
      ...given,
    });
  const end = (given: object = {}): CommitWrite["transition"] => ({
    kind: "end",
    state: "succeeded",
    error: null,
    lastNode: null,
    waiterRunId: null,
    activeMs: 5,
    queue: queueOf(),
    claimBy: null,
    ...given,
  });
  const park = (dueAt: number | null, activeMs: number, given: object = {}) => ({
    kind: "park" as const,
    dueAt,
    waitingFor: "{}",
    activeMs,
    queue: queueOf(),
    claimBy: null,
    ...given,
  });
  const claim = (runId: string, given: object = {}) =>
    stores().store.workflowRuns.claim({
      runId,
      workflowId: "wf",
      instanceId: "two",
      at: 5_000,
      queue: queueOf(),
      ...given,
    });
  const stateOf = async (id: string) => (await findWorkflowRun(stores().store.db, id))?.state;
  async function start(given: Partial<AcceptWrite["run"]> = {}, more: Partial<AcceptWrite> = {}) {
    const run = newWorkflowRun(given);
    const accepted = await accept({ run, ...more });
    if (accepted.kind !== "started") throw new Error(`The run is ${accepted.kind}`);
    return { id: run.id, lease: accepted.lease };
  }
  return { accept, commit, end, park, claim, stateOf, start };
}
