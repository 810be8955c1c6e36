import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toClock, toKysely } from "../database/kysely.ts";

/** How long a claim lasts without a renewal. Then its process counts as dead. */
export const claimMs = 20_000;

type Claim = { name: string; holder: string };

/** The names of jobs that are not due yet or that a process runs now. */
export async function listWaitingJobs(db: Db): Promise<string[]> {
  const clock = toClock(db);
  const rows = await toKysely(db)
    .selectFrom("periodic_jobs")
    .select("name")
    .where((one) =>
      one.or([
        one("held_until", ">", clock),
        one.and([one("held_until", "is", null), one("due_at", ">", clock)]),
      ]),
    )
    .execute();
  return rows.map(({ name }) => name);
}

/**
 * True if the job is due and no process runs it; then this one may. The job is due again
 * `everyMs` later, or as soon as the claim ends without a release: its process died then.
 */
export async function claimJob(db: Db, claim: Claim & { everyMs: number }): Promise<boolean> {
  const { name, holder, everyMs } = claim;
  const clock = toClock(db);
  const taken = {
    holder,
    held_until: sql<number>`${clock} + ${sql.lit(claimMs)}`,
    due_at: sql<number>`${clock} + ${sql.lit(everyMs)}`,
  };
  const claimed = await toKysely(db)
    .insertInto("periodic_jobs")
    .values({ name, ...taken })
    .onConflict((conflict) =>
      conflict
        .column("name")
        .doUpdateSet(taken)
        .where((one) =>
          one.or([
            one("periodic_jobs.held_until", "<=", clock),
            one.and([
              one("periodic_jobs.held_until", "is", null),
              one("periodic_jobs.due_at", "<=", clock),
            ]),
          ]),
        ),
    )
    .returning("name")
    .executeTakeFirst();
  return claimed !== undefined;
}

/** False if the claim has ended and another process has taken the job, or may take it. */
export async function renewJobClaim(db: Db, { name, holder }: Claim): Promise<boolean> {
  const clock = toClock(db);
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("periodic_jobs")
    .set({ held_until: sql<number>`${clock} + ${sql.lit(claimMs)}` })
    .where("name", "=", name)
    .where("holder", "=", holder)
    .where("held_until", ">", clock)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a claim. A job that was not finished is due at once. */
export async function releaseJob(
  db: Db,
  { name, holder, isFinished }: Claim & { isFinished: boolean },
): Promise<void> {
  await toKysely(db)
    .updateTable("periodic_jobs")
    .set({ holder: null, held_until: null, ...(!isFinished && { due_at: 0 }) })
    .where("name", "=", name)
    .where("holder", "=", holder)
    .execute();
}
