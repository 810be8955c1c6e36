import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { type StoredRun, selectRun } from "./workflow-run-columns.ts";

/** Frees the runs of processes that are dead, so that others go on with them. Returns their ids. */
export async function releaseWorkflowRuns(
  db: Db,
  { dead, at }: { dead: readonly string[]; at: number },
): Promise<string[]> {
  if (dead.length === 0) return [];
  const released = await toKysely(db)
    .updateTable("workflow_runs")
    .set({ lease_instance: null, due_at: at })
    .where("lease_instance", "in", dead)
    .returning("id")
    .execute();
  return released.map(({ id }) => id);
}

/** A run that a process has the lease of. */
export type LeasedRun = Pick<StoredRun, "id" | "leaseNumber">;

export async function listLeasedRuns(db: Db, instanceId: string): Promise<LeasedRun[]> {
  return await toKysely(db)
    .selectFrom("workflow_runs")
    .select(selectRun(["id", "leaseNumber"]))
    .where("lease_instance", "=", instanceId)
    .execute();
}

/** Frees one run, unless it was claimed again meanwhile. */
export async function releaseLeasedRun(
  db: Db,
  instanceId: string,
  { id, leaseNumber, at }: LeasedRun & { at: number },
): Promise<void> {
  await toKysely(db)
    .updateTable("workflow_runs")
    .set({ lease_instance: null, due_at: at })
    .where("id", "=", id)
    .where("lease_instance", "=", instanceId)
    .where("lease_number", "=", leaseNumber)
    .execute();
}

/** The processes that have leases, also those that are not registered. */
export async function listLeaseHolders(db: Db): Promise<string[]> {
  const found = await toKysely(db)
    .selectFrom("workflow_runs")
    .select("lease_instance as id")
    .distinct()
    .where("lease_instance", "is not", null)
    .$narrowType<{ id: string }>()
    .execute();
  return found.map(({ id }) => id);
}
