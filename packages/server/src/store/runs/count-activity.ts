import { sql } from "kysely";
import { type Db, type Transaction, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import {
  makeActivity,
  readActivities,
  type StoredActivity,
  writeActivities,
} from "./row-activity.ts";
import { addCall, readCounts, rollCounts, writeCounts } from "./row-counts.ts";
import {
  type EndedRun,
  findOutcome,
  isFaultOfRow,
  recordOutcome,
  saysNothing,
} from "./run-outcomes.ts";

/** Runs that are counted in one transaction, about 10 ms of work. */
const countedAtOnce = 1_000;
/** Rows whose figures are made new in one transaction. */
const rolledAtOnce = 200;

/**
 * Counts ended runs that are not in the activity of their rows yet, at most some thousand. Resolves with
 * whether all up to `endedBefore` are.
 */
export function countRowActivity(
  db: Db,
  { endedBefore, now }: { endedBefore: number; now: number },
): Promise<{ isAll: boolean }> {
  return transaction(db, async (trx) => {
    const { ended_before: from } = await toKysely(trx)
      .selectFrom("row_activity_until")
      .select("ended_before")
      .executeTakeFirstOrThrow();
    if (from >= endedBefore) return { isAll: true };
    const { rows } = await sql<{ ended_at: number }>`
      select ended_at from connector_runs
      where ended_at >= ${from} and ended_at < ${endedBefore}
      order by ended_at limit 1 offset ${countedAtOnce}`.execute(toKysely(trx));
    const until = rows[0] === undefined ? endedBefore : Math.max(rows[0].ended_at, from + 1);
    const runs = await readEnded(trx, { from, until });
    await addRuns(trx, runs, now);
    await toKysely(trx).updateTable("row_activity_until").set({ ended_before: until }).execute();
    return { isAll: until === endedBefore };
  });
}

const ended = sql`id, connector_id as row_id, operation_key, status, error_code, http_status, unreached, latency_ms,
  started_at, ended_at, case when operation_key = 'hub.health' then substr(response, 1, 11) end as health`;

/** Only runs whose row was found: of others, `connector_id` is what the caller sent. */
async function readEnded(
  trx: Transaction,
  { from, until }: { from: number; until: number },
): Promise<EndedRun[]> {
  const { rows } = await sql<EndedRun>`
    select ${ended} from connector_runs
    where ended_at >= ${from} and ended_at < ${until} and connector_id is not null and row_label is not null
    order by ended_at, id`.execute(toKysely(trx));
  return rows;
}

async function addRuns(trx: Transaction, runs: readonly EndedRun[], now: number): Promise<void> {
  const byRow = Map.groupBy(runs, (run) => run.row_id);
  const activities = await readOrMake(trx, [...byRow.keys()]);
  for (const [rowId, activity] of activities) {
    const counts = readCounts(activity.counts);
    for (const run of byRow.get(rowId) ?? []) {
      recordOutcome(activity, run, findOutcome(run));
      if (isQuestion(run)) continue;
      activity.last_call_at = Math.max(activity.last_call_at ?? 0, run.ended_at);
      addCall(counts, {
        endedAt: run.ended_at,
        latencyMs: run.latency_ms ?? 0,
        isError: isFaultOfRow(run),
        countsForState: run.started_at >= activity.valid_from && !saysNothing(run),
      });
    }
    setFigures(activity, counts, now);
  }
  await writeActivities(trx, activities.values());
}

/** Of the rows that exist. */
async function readOrMake(
  trx: Transaction,
  rowIds: readonly string[],
): Promise<Map<string, StoredActivity>> {
  if (rowIds.length === 0) return new Map();
  const existing = await toKysely(trx)
    .selectFrom("connector_rows")
    .select("id")
    .where("id", "in", rowIds)
    .execute();
  const stored = await readActivities(trx, rowIds);
  return new Map(existing.map(({ id }) => [id, stored.get(id) ?? makeActivity(id)]));
}

function setFigures(
  activity: StoredActivity,
  counts: ReturnType<typeof readCounts>,
  now: number,
): void {
  const figures = rollCounts(counts, now);
  activity.counts = writeCounts(counts);
  activity.calls = figures.calls;
  activity.errors = figures.errors;
  activity.p95_ms = figures.p95Ms;
  activity.recent_calls = figures.recentCalls;
  activity.recent_errors = figures.recentErrors;
  activity.rolls_at = figures.rollsAt;
}

/** A check, a look-up or a discovery. */
function isQuestion({ operation_key: key }: EndedRun): boolean {
  return key.startsWith("hub.");
}

/** Drops calls that are too old from the figures of some rows. Resolves with whether none is left. */
export function rollRowActivity(db: Db, now: number): Promise<{ isAll: boolean }> {
  return transaction(db, async (trx) => {
    const due = await toKysely(trx)
      .selectFrom("row_activity")
      .select("row_id")
      .where("rolls_at", "<=", now)
      .orderBy("rolls_at")
      .limit(rolledAtOnce)
      .execute();
    const activities = await readActivities(
      trx,
      due.map(({ row_id }) => row_id),
    );
    for (const activity of activities.values()) {
      setFigures(activity, readCounts(activity.counts), now);
    }
    await writeActivities(trx, activities.values());
    return { isAll: due.length < rolledAtOnce };
  });
}

/** Takes the outcome of one ended run at once, such as that of a check that a person waits for. */
export async function recordRunOutcome(db: Db, runId: string): Promise<void> {
  await transaction(db, async (trx) => {
    const { rows } = await sql<EndedRun>`
      select ${ended} from connector_runs
      where id = ${runId} and ended_at is not null and row_label is not null`.execute(
      toKysely(trx),
    );
    const [run] = rows;
    if (run === undefined) return;
    const activities = await readOrMake(trx, [run.row_id]);
    for (const activity of activities.values()) recordOutcome(activity, run, findOutcome(run));
    await writeActivities(trx, activities.values());
  });
}
