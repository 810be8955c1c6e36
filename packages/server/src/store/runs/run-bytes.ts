import { sql } from "kysely";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";

export const hourMs = 3_600_000;

/** Size of a run without its texts, with its index entries: measured over 20,000 runs on SQLite. */
const bytesOfBareRun = 650;

/** SQLite stores the length of a text in the row's header, so no text is read. */
export const bytesOfRun = sql<number>`(${sql.lit(bytesOfBareRun)}
  + coalesce(octet_length(request), 0) + coalesce(octet_length(response), 0)
  + coalesce(octet_length(error_msg), 0))`;

/** Adds the bytes of the runs that ended in a time range; called when they are counted. */
export async function countRunBytes(
  trx: Transaction,
  { from, until }: { from: number; until: number },
): Promise<void> {
  await sql`
    insert into run_bytes (hour, bytes)
    select ended_at / ${sql.lit(hourMs)}, sum(${bytesOfRun})
    from connector_runs where ended_at >= ${from} and ended_at < ${until}
    group by 1
    on conflict (hour) do update set bytes = run_bytes.bytes + excluded.bytes`.execute(
    toKysely(trx),
  );
}

export type BytesDeps = { db: Db; readUsedBytes(): Promise<number> };

/** Approximate bytes on disk of all counted runs, or of those that ended since a time. */
export async function readRunBytes(
  deps: BytesDeps,
  { endedFrom = 0 }: { endedFrom?: number } = {},
): Promise<number> {
  const hours = await listBytes(deps);
  const from = Math.ceil(endedFrom / hourMs);
  return hours.reduce((sum, { hour, bytes }) => (hour >= from ? sum + bytes : sum), 0);
}

/**
 * The time before which runs must be deleted so that the others take at most `bytesMax`; a whole
 * hour. Null if all may stay.
 */
export async function findRunBytesCut(
  deps: BytesDeps,
  { bytesMax, endedBefore }: { bytesMax: number; endedBefore: number },
): Promise<number | null> {
  let bytes = 0;
  for (const { hour, bytes: ofHour } of await listBytes(deps)) {
    bytes += ofHour;
    const endedAt = (hour + 1) * hourMs;
    if (bytes > bytesMax && endedAt <= endedBefore) return endedAt;
  }
  return null;
}

/** How many bytes on disk one counted byte takes, and all counted bytes. */
export async function readRunScale(deps: BytesDeps): Promise<{ scale: number; counted: number }> {
  const { counted, scale } = await readHours(deps);
  return { counted, scale };
}

/** Pages have unused space, but a row never takes more than this many times its bytes. */
const scaleMax = 2;

/**
 * Newest first, one small row for each stored hour. The counted bytes are scaled to the size of the
 * database, which consists almost only of runs.
 */
async function listBytes(deps: BytesDeps) {
  const { hours, scale } = await readHours(deps);
  return hours.map(({ hour, bytes }) => ({ hour, bytes: bytes * scale }));
}

async function readHours({ db, readUsedBytes }: BytesDeps) {
  const hours = await toKysely(db)
    .selectFrom("run_bytes")
    .select(tableColumns.run_bytes)
    .orderBy("hour", "desc")
    .execute();
  const counted = hours.reduce((sum, { bytes }) => sum + bytes, 0);
  const used = await readUsedBytes();
  const scale = Math.min(scaleMax, Math.max(1, used / Math.max(1, counted)));
  return { hours, counted, scale };
}

/**
 * Deletes the byte counts of whole hours that ended before a time, after their runs were deleted.
 */
export async function purgeRunBytes(
  db: Db,
  { endedBefore }: { endedBefore: number },
): Promise<void> {
  await toKysely(db)
    .deleteFrom("run_bytes")
    .where("hour", "<", Math.floor(endedBefore / hourMs))
    .execute();
}
