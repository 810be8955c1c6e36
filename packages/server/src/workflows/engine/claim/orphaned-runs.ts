import type { Db } from "../../../store/database/database.ts";
import { listLeasedRuns, releaseLeasedRun } from "../../../store/workflow-runs/run-leases.ts";

/**
 * Runs that have the lease of this process without its knowledge: the write that gave it was carried out,
 * but its answer was lost with the connection. Without this they would stay until the process ends.
 */
export type OrphanedRuns = {
  /** Records whether a write that can give leases fails. */
  followWrite<T>(writing: Promise<T>): Promise<T>;
  /** For some time after such a failure, looks for these runs and frees them. */
  free(): Promise<void>;
};

type OrphanedRunsDeps = {
  db: Db;
  instanceId: string;
  now(): number;
  /** Whether this process works on a run. */
  isKnown(runId: string): boolean;
};

/** The database may carry out a write as late as this. */
const unsureMs = 60_000;

export function createOrphanedRuns({
  db,
  instanceId,
  now,
  isKnown,
}: OrphanedRunsDeps): OrphanedRuns {
  let unsureUntil = Number.NEGATIVE_INFINITY;
  /** Lease numbers by run. */
  let suspects = new Map<string, number>();
  return {
    async followWrite(writing) {
      try {
        return await writing;
      } catch (err) {
        unsureUntil = now() + unsureMs;
        throw err;
      }
    },
    async free() {
      if (now() >= unsureUntil) return;
      const leased = await listLeasedRuns(db, instanceId);
      const found = leased.filter(({ id }) => !isKnown(id));
      for (const run of found) {
        // At the second look. At the first one, the answer may be on its way.
        if (suspects.get(run.id) !== run.leaseNumber) continue;
        await releaseLeasedRun(db, instanceId, { ...run, at: now() });
      }
      suspects = new Map(found.map(({ id, leaseNumber }) => [id, leaseNumber]));
    },
  };
}
