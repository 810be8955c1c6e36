import type { Db } from "../../../store/database/database.ts";
import { listAskedCalls } from "../../../store/pending/asked-calls.ts";
import { endPendingCall } from "../../../store/pending/pending-call-states.ts";
import type { ClaimedRun, StepRecord } from "../../../store/workflow-runs/workflow-run-records.ts";
import { findStep, readSteps } from "../../../store/workflow-runs/workflow-steps.ts";
import { findGivenApproval, readRunApprovals } from "../../approvals/read-run-approvals.ts";
import { findOwner, type OwnerDeps } from "../child-runs/run-links.ts";
import type { WaitForDatabase } from "../claim/wait-for-database.ts";
import type { UsedRow } from "../secrets/run-mask.ts";
import type { WalkReads } from "./walk-state.ts";

type ReadDeps = OwnerDeps & {
  db: Db;
  findUsedRow(toolId: string): Promise<UsedRow | null>;
  waitForDatabase: WaitForDatabase;
  now(): number;
};

const endReasons = { expired: "not decided", ended: "the node of the workflow has failed" };

/** The reads of one run. Each waits for a database that is away. */
export function createWalkReads(deps: ReadDeps, run: ClaimedRun): WalkReads {
  const { db, now, waitForDatabase } = deps;
  return {
    findUsedRow: (toolId) => waitForDatabase(() => deps.findUsedRow(toolId)),
    findOwner: () => waitForDatabase(() => findOwner(deps, run)),
    readApprovals: () => waitForDatabase(() => readRunApprovals({ db, now }, run.id)),
    readAskedCalls: () =>
      waitForDatabase(() => listAskedCalls(db, { ownerId: run.ownerId, runId: run.id })),
    endAskedCall: (id, state) =>
      waitForDatabase(async () => {
        await endPendingCall(db, { id, state, reason: endReasons[state], at: now() });
      }),
    async readItems(nodeId) {
      const items = new Map<number, StepRecord>();
      await waitForDatabase(async () => {
        for await (const page of readSteps(db, run.id, nodeId)) {
          for (const step of page) if (step.item >= 0) items.set(step.item, step);
        }
      });
      return items;
    },
    findGivenApproval: (nodeId) => waitForDatabase(() => findGivenApproval({ db }, run, nodeId)),
    findEarlierStep: (runId, nodeId, item) =>
      waitForDatabase(() => findStep(db, runId, nodeId, item)),
  };
}
