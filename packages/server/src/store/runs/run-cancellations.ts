import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** A request to cancel a call that runs in another process. */
export type RunCancellation = { runId: string; reason: string };

export async function requestCancellation(
  db: Db,
  { runId, reason }: RunCancellation,
  at: number,
): Promise<void> {
  await toKysely(db)
    .insertInto("run_cancellations")
    .values({ run_id: runId, reason, requested_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function listCancellations(db: Db): Promise<RunCancellation[]> {
  const rows = await toKysely(db)
    .selectFrom("run_cancellations")
    .select(["run_id", "reason"])
    .execute();
  return rows.map((row) => ({ runId: row.run_id, reason: row.reason }));
}

/** Deletes requests for runs that have ended. */
export async function removeCompletedCancellations(db: Db): Promise<void> {
  await toKysely(db)
    .deleteFrom("run_cancellations")
    .where((one) =>
      one.not(
        one.exists(
          one
            .selectFrom("connector_runs")
            .select("connector_runs.id")
            .whereRef("connector_runs.id", "=", "run_cancellations.run_id")
            .where("connector_runs.status", "=", "running"),
        ),
      ),
    )
    .execute();
}
