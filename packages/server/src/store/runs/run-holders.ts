import { type Expression, sql } from "kysely";
import { type Db, type Transaction, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { toFirstId } from "../database/timed-ids.ts";
import { bytesOfRun, hourMs } from "./run-bytes.ts";

const dayMs = 24 * hourMs;

/** Adds the bytes of the runs that ended in a time range to those of their users. */
export async function countHeldBytes(
  trx: Transaction,
  { from, until }: { from: number; until: number },
): Promise<void> {
  await sql`
    insert into user_run_bytes (day, user_id, bytes)
    select ended_at / ${sql.lit(dayMs)}, user_id, sum(${bytesOfRun})
    from connector_runs where ended_at >= ${from} and ended_at < ${until}
    group by 1, 2
    on conflict (day, user_id) do update set bytes = user_run_bytes.bytes + excluded.bytes`.execute(
    toKysely(trx),
  );
}

/** What the counted runs of one user take, about. */
export type RunHolder = { userId: string; bytes: number };

/** Those who hold most first. Reads one small row for each user and day. */
export async function listRunHolders(db: Db, { limit }: { limit: number }): Promise<RunHolder[]> {
  const holders = await toKysely(db)
    .selectFrom("user_run_bytes")
    .select(({ fn }) => ["user_id", toInteger(fn.sum("bytes")).as("bytes")])
    .groupBy("user_id")
    .orderBy("bytes", "desc")
    .orderBy("user_id")
    .limit(limit)
    .execute();
  return holders.map(({ user_id: userId, bytes }) => ({ userId, bytes }));
}

/**
 * The time since which users are counted, about: no run that ended later was counted before. Null if nothing is. A server of
 * the version before, beside this one, counts later runs without their users.
 */
export async function findHeldSince(db: Db): Promise<number | null> {
  const first = await toKysely(db)
    .selectFrom("user_run_bytes")
    .select("day")
    .orderBy("day")
    .limit(1)
    .executeTakeFirst();
  return first === undefined ? null : first.day * dayMs;
}

/** PostgreSQL's sum of integers is a decimal number, which the client returns as a text. */
function toInteger(sum: Expression<number | string | bigint>) {
  return sql<number>`cast(${sum} as bigint)`;
}

/** The runs of one batch: how many, their counted bytes, and the last one. */
export type PurgedOfUser = { count: number; bytes: number; lastId: string | null };

/**
 * Deletes the oldest runs of one user that ended before a time, at most `limit`, and takes their bytes from what is
 * counted. A purge of several batches gives the last id as `after`.
 */
export function purgeRunsOfUser(
  db: Db,
  given: { userId: string; endedBefore: number; after: string | null; limit: number },
): Promise<PurgedOfUser> {
  const { userId, endedBefore, after, limit } = given;
  return transaction(db, async (trx) => {
    let old = toKysely(trx)
      .selectFrom("connector_runs")
      .select(["id", "ended_at", bytesOfRun.as("bytes")])
      .where("user_id", "=", userId)
      .where("ended_at", "<", endedBefore)
      // Ids contain the start. Later ones need not be read.
      .where("id", "<", toFirstId(endedBefore))
      .orderBy("id")
      .limit(limit);
    if (after !== null) old = old.where("id", ">", after);
    const runs = await old.execute();
    const ids = runs.map(({ id }) => id);
    if (ids.length > 0)
      await toKysely(trx).deleteFrom("connector_runs").where("id", "in", ids).execute();
    const hours = new Map<number, number>();
    for (const { ended_at: endedAt, bytes } of runs) {
      const hour = Math.floor((endedAt ?? 0) / hourMs);
      hours.set(hour, (hours.get(hour) ?? 0) + bytes);
    }
    for (const [hour, bytes] of hours) await takeBytes(trx, { userId, hour, bytes });
    const bytes = runs.reduce((sum, run) => sum + run.bytes, 0);
    return { count: runs.length, bytes, lastId: ids.at(-1) ?? null };
  });
}

async function takeBytes(
  trx: Transaction,
  { userId, hour, bytes }: { userId: string; hour: number; bytes: number },
): Promise<void> {
  await toKysely(trx)
    .updateTable("run_bytes")
    .set({ bytes: sql`case when bytes > ${bytes} then bytes - ${bytes} else 0 end` })
    .where("hour", "=", hour)
    .execute();
  await toKysely(trx)
    .updateTable("user_run_bytes")
    .set({ bytes: sql`case when bytes > ${bytes} then bytes - ${bytes} else 0 end` })
    .where("day", "=", Math.floor((hour * hourMs) / dayMs))
    .where("user_id", "=", userId)
    .execute();
}

/** Deletes the counts of whole days that ended before a time, after their runs were deleted. */
export async function purgeHeldBytes(
  db: Db,
  { endedBefore }: { endedBefore: number },
): Promise<void> {
  await toKysely(db)
    .deleteFrom("user_run_bytes")
    .where("day", "<", Math.floor(endedBefore / dayMs))
    .execute();
}
