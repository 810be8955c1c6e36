import type { Db } from "../../../store/database/database.ts";
import type { ClaimedRun } from "../../../store/workflow-runs/workflow-run-records.ts";
import { findStep } from "../../../store/workflow-runs/workflow-steps.ts";
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

/** The reads of one run. Each waits for a database that is away. */
export function createWalkReads(deps: ReadDeps, run: ClaimedRun): WalkReads {
  const { db, now, waitForDatabase } = deps;
  return {
    findUsedRow: (toolId) => waitForDatabase(() => deps.findUsedRow(toolId)),
    findOwner: () => waitForDatabase(() => findOwner(deps, run)),
    readApprovals: () => waitForDatabase(() => readRunApprovals({ db, now }, run.id)),
    findGivenApproval: (nodeId) => waitForDatabase(() => findGivenApproval({ db }, run, nodeId)),
    findEarlierStep: (runId, nodeId, item) =>
      waitForDatabase(() => findStep(db, runId, nodeId, item)),
  };
}
