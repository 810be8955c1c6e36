import { type Insertable, type Selectable, sql } from "kysely";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { toFlag } from "../database/tables/flag.ts";
import type { RowOutcome } from "../database/tables/row-tables.ts";
import type { Tables } from "../database/tables.ts";
import { noCounts, type RowFigures, readCounts, writeCounts } from "./row-counts.ts";

/** What the ended calls and checks of a row say about it. Times are epoch ms. */
export type RowActivityRecord = Omit<RowFigures, "rollsAt"> & {
  rowId: string;
  lastCallAt: number | null;
  /** When a call or check with the present values last worked. */
  workedAt: number | null;
  /** How the last call or check with the present values ended, if it says something about the row. */
  outcome: {
    kind: RowOutcome;
    at: number;
    /** When the first of those that ended alike, without another between, ended. */
    since: number;
    /** Id of its run. */
    run: string;
    isCheck: boolean;
  } | null;
};

export type StoredActivity = Selectable<Tables["row_activity"]>;

export function makeActivity(rowId: string): StoredActivity {
  return {
    row_id: rowId,
    stamp: 0,
    counts: noCounts,
    calls: 0,
    errors: 0,
    p95_ms: null,
    recent_calls: 0,
    recent_errors: 0,
    rolls_at: null,
    last_call_at: null,
    valid_from: 0,
    worked_at: null,
    outcome: null,
    outcome_at: null,
    outcome_since: null,
    outcome_run: null,
    outcome_is_check: 0,
    checked_at: null,
  };
}

/** A number that grows with every change of any row's activity. */
export async function readActivityStamp(db: Db): Promise<number> {
  const { stamp } = await toKysely(db)
    .selectFrom("row_activity_until")
    .select("stamp")
    .executeTakeFirstOrThrow();
  return stamp;
}

/** At most `limit` records that were written after a stamp, in the order in which they were, with their stamps. */
export async function listActivity(
  db: Db,
  after: { stamp: number; rowId: string },
  limit: number,
): Promise<Array<{ stamp: number; activity: RowActivityRecord }>> {
  const rows = await toKysely(db)
    .selectFrom("row_activity")
    .select(tableColumns.row_activity.filter((name) => name !== "counts"))
    .where(({ or, and, eb }) =>
      or([
        eb("stamp", ">", after.stamp),
        and([eb("stamp", "=", after.stamp), eb("row_id", ">", after.rowId)]),
      ]),
    )
    .orderBy("stamp")
    .orderBy("row_id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({ stamp: row.stamp, activity: toRecord(row) }));
}

/** The records of these rows that are stored, at most some hundreds. */
export async function readActivities(
  db: Db,
  rowIds: readonly string[],
): Promise<Map<string, StoredActivity>> {
  if (rowIds.length === 0) return new Map();
  const rows = await toKysely(db)
    .selectFrom("row_activity")
    .select(tableColumns.row_activity)
    .where("row_id", "in", rowIds)
    .execute();
  return new Map(rows.map((row) => [row.row_id, row]));
}

/** Stores records of rows that exist, with a new stamp. */
export async function writeActivities(
  trx: Transaction,
  records: Iterable<StoredActivity>,
): Promise<void> {
  const all = [...records];
  if (all.length === 0) return;
  const { stamp } = await toKysely(trx)
    .updateTable("row_activity_until")
    .set((row) => ({ stamp: row("stamp", "+", 1) }))
    .returning("stamp")
    .executeTakeFirstOrThrow();
  // A statement has a limited number of parameters.
  for (let first = 0; first < all.length; first += 100) {
    const values = all.slice(first, first + 100).map((row) => ({ ...row, stamp }));
    await toKysely(trx)
      .insertInto("row_activity")
      .values(values)
      .onConflict((conflict) => conflict.column("row_id").doUpdateSet(replaced))
      .execute();
  }
}

const replaced = Object.fromEntries(
  tableColumns.row_activity
    .filter((name) => name !== "row_id")
    .map((name) => [name, sql.raw(`excluded.${name}`)]),
) as Partial<Insertable<Tables["row_activity"]>>;

/** After a change of a row's values: what was seen of it before says nothing about it any more. */
export async function resetActivity(trx: Transaction, rowId: string, at: number): Promise<void> {
  const present = (await readActivities(trx, [rowId])).get(rowId) ?? makeActivity(rowId);
  const seen = { worked_at: null, recent_calls: 0, recent_errors: 0, checked_at: null };
  const outcome = { outcome: null, outcome_at: null, outcome_since: null, outcome_run: null };
  const counts = writeCounts({ ...readCounts(present.counts), slots: [] });
  await writeActivities(trx, [{ ...present, ...seen, ...outcome, counts, valid_from: at }]);
}

/** Records when a timer has checked a row. Nothing that is shown changes, so the stamp stays. */
export async function recordCheck(db: Db, rowId: string, at: number): Promise<void> {
  await toKysely(db)
    .updateTable("row_activity")
    .set({ checked_at: at })
    .where("row_id", "=", rowId)
    .execute();
}

/** The rows that were called since then and not checked by a timer since `checkedBefore`, longest ago first. */
export async function listUnchecked(
  db: Db,
  {
    now,
    calledSince,
    checkedBefore,
    limit,
  }: { now: number; calledSince: number; checkedBefore: number; limit: number },
): Promise<RowActivityRecord[]> {
  const rows = await toKysely(db)
    .selectFrom("row_activity")
    .select(tableColumns.row_activity.filter((name) => name !== "counts"))
    .where("last_call_at", ">=", calledSince)
    .where(({ or, eb }) =>
      or([
        eb("checked_at", "is", null),
        eb("checked_at", "<", checkedBefore),
        // The clock was set back since.
        eb("checked_at", ">", now),
      ]),
    )
    .orderBy(sql`coalesce(checked_at, 0)`)
    .orderBy("row_id")
    .limit(limit)
    .execute();
  return rows.map(toRecord);
}

export function toRecord(row: Omit<StoredActivity, "counts">): RowActivityRecord {
  const { outcome: kind, outcome_at: at, outcome_since: since, outcome_run: run } = row;
  return {
    rowId: row.row_id,
    calls: row.calls,
    errors: row.errors,
    p95Ms: row.p95_ms,
    recentCalls: row.recent_calls,
    recentErrors: row.recent_errors,
    lastCallAt: row.last_call_at,
    workedAt: row.worked_at,
    outcome:
      kind === null || at === null || run === null
        ? null
        : { kind, at, since: since ?? at, run, isCheck: row.outcome_is_check === 1 },
  };
}

/** The columns of an outcome. */
export function toOutcomeColumns(outcome: NonNullable<RowActivityRecord["outcome"]>) {
  return {
    outcome: outcome.kind,
    outcome_at: outcome.at,
    outcome_since: outcome.since,
    outcome_run: outcome.run,
    outcome_is_check: toFlag(outcome.isCheck),
  };
}
