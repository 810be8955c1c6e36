import type { Db } from "../../store/database.ts";
import type { ClaimedRun } from "../../store/workflow-run-records.ts";
import { findStep } from "../../store/workflow-steps.ts";
import { findGivenApproval, readApprovals } from "../approvals/run-approvals.ts";
import { findOwner, type OwnerDeps } from "./run-links.ts";
import type { UsedRow } from "./run-mask.ts";
import type { WaitForDatabase } from "./wait-for-database.ts";
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
    readApprovals: () => waitForDatabase(() => readApprovals({ db, now }, run.id)),
    findGivenApproval: (nodeId) => waitForDatabase(() => findGivenApproval({ db }, run, nodeId)),
    findEarlierStep: (runId, nodeId, item) =>
      waitForDatabase(() => findStep(db, runId, nodeId, item)),
  };
}
