import { type Selectable, sql } from "kysely";
import type { ScanPosition } from "../../lib/input/scan-page.ts";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { PendingState, PendingTables } from "../database/tables/pending-tables.ts";
import type { CallSummary } from "./call-summary.ts";
import type { PendingCall } from "./pending-call-record.ts";
import { isAsked, isNamed, isOwnCall, type PendingReader } from "./pending-readers.ts";

/** All but the large columns. */
const markColumns = [
  "id",
  "user_id",
  "principal_name",
  "row_id",
  "operation_key",
  "reason",
  "state",
  "summary",
  "decider",
  "excluded",
  "created_at",
  "expires_at",
  "approved_until",
  "decided_at",
  "decided_by_email",
  "comment",
  "deputy_id",
  "deputy_by",
] as const satisfies ReadonlyArray<keyof PendingTables["pending_calls"]>;

/** A call as lists read it. */
export type PendingMark = Pick<
  PendingCall,
  | "id"
  | "userId"
  | "principalName"
  | "rowId"
  | "operationKey"
  | "reason"
  | "state"
  | "decider"
  | "excluded"
  | "createdAt"
  | "expiresAt"
  | "approvedUntil"
  | "decidedAt"
  | "decidedByEmail"
  | "comment"
  | "deputyId"
  | "deputyBy"
> & { summary: CallSummary };

/** How a question ended. */
type PendingOutcome = "approved" | "denied" | "expired" | "ended";

export type PendingFilter = {
  state?: PendingState | undefined;
  /** Those that wait no longer at this time (epoch ms). */
  decidedBy?: number | undefined;
  /** Those whose question has ended so at this time (epoch ms). */
  ended?: { outcome: PendingOutcome; at: number } | undefined;
  /** Those that this user sees. Undefined for all. */
  visibleTo?: PendingReader | undefined;
  /** Those about which this user is asked. */
  asked?: PendingReader | undefined;
  /** Those that are open at this time, as far as the call alone says it. */
  decider?: { userId: string; at: number } | undefined;
};

type Span = { after: ScanPosition | undefined; scannedMax: number };

/** One page of calls, newest first, and whether `reader` is named as a decider of each. */
export async function listPendingMarks(
  db: Db,
  filter: PendingFilter,
  reader: PendingReader,
  { limit, ...span }: Span & { limit: number },
): Promise<Array<PendingMark & { isNamed: boolean }>> {
  const found = await selectMatching(db, filter, span)
    .select(markColumns.map((name) => `pending_calls.${name}` as const))
    .select(isNamed(reader).as("is_named"))
    .orderBy("pending_calls.created_at", "desc")
    .orderBy("pending_calls.id", "desc")
    .limit(limit)
    .execute();
  return found.map(({ is_named, ...mark }) => ({ ...toMark(mark), isNamed: Boolean(is_named) }));
}

/** How many there are among those that it looks at. */
export async function countPendingCalls(
  db: Db,
  filter: PendingFilter,
  span: Span,
): Promise<number> {
  const { calls } = await selectMatching(db, filter, span)
    .select((call) => call.fn.countAll<number>().as("calls"))
    .executeTakeFirstOrThrow();
  return Number(calls);
}

function selectMatching(
  db: Db,
  { state, decidedBy, ended, visibleTo, asked, decider }: PendingFilter,
  { scannedMax, after }: Span,
) {
  const span = selectSpan(db, state, after).select(markColumns).limit(scannedMax);
  let query = toKysely(db).selectFrom(span.as("pending_calls"));
  if (decidedBy !== undefined) {
    query = query.where((call) =>
      call.or([
        call("pending_calls.state", "!=", "open"),
        call("pending_calls.expires_at", "<=", decidedBy),
      ]),
    );
  }
  if (ended !== undefined) query = query.where(hasEnded(ended));
  if (visibleTo !== undefined) {
    query = query.where((call) => call.or([isOwnCall(visibleTo), isNamed(visibleTo)]));
  }
  if (asked !== undefined) query = query.where(isAsked(asked));
  if (decider !== undefined) {
    query = query
      .where("pending_calls.reason", "=", "approval")
      .where("pending_calls.state", "=", "open")
      .where("pending_calls.expires_at", ">", decider.at)
      // A JSON text of ids, which are UUIDs.
      .where("pending_calls.excluded", "not like", `%"${decider.userId}"%`);
  }
  return query;
}

/** The states of each outcome. What is late is expired, also before the job has marked it. */
function hasEnded({ outcome, at }: NonNullable<PendingFilter["ended"]>) {
  const [state, until] = (["state", "approved_until"] as const).map((name) =>
    sql.ref(`pending_calls.${name}`),
  );
  const isLate = sql`(${state} = 'approved' and coalesce(${until}, 0) <= ${at})`;
  switch (outcome) {
    case "approved":
      return sql<boolean>`(${state} in ('approved', 'running', 'done', 'unknown') and not ${isLate})`;
    case "denied":
      return sql<boolean>`${state} = 'denied'`;
    case "ended":
      return sql<boolean>`${state} in ('changed', 'ended')`;
    case "expired":
      return sql<boolean>`(${state} = 'expired' or ${isLate}
        or (${state} = 'open' and ${sql.ref("pending_calls.expires_at")} <= ${at}))`;
  }
}

/** The position of the call that is this many after a position. Null if there are fewer. */
export async function findPendingCallAt(
  db: Db,
  { state }: Pick<PendingFilter, "state">,
  after: ScanPosition | undefined,
  offset: number,
): Promise<ScanPosition | null> {
  const found = await selectSpan(db, state, after)
    .select(["created_at as createdAt", "id"])
    .offset(offset)
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
}

function selectSpan(db: Db, state: PendingState | undefined, after: ScanPosition | undefined) {
  let query = toKysely(db)
    .selectFrom("pending_calls")
    .orderBy("created_at", "desc")
    .orderBy("id", "desc");
  // A literal, because SQLite uses no partial index for a parameter.
  if (state !== undefined) query = query.where("state", "=", sql.lit(state));
  if (after !== undefined) {
    query = query.where((call) =>
      call.or([
        call("created_at", "<", after.createdAt),
        call.and([call("created_at", "=", after.createdAt), call("id", "<", after.id)]),
      ]),
    );
  }
  return query;
}

/** Whether a user has one of the deciding tags of a call, or is its deputy. */
export async function isNamedFor(db: Db, id: string, reader: PendingReader): Promise<boolean> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select("id")
    .where("id", "=", id)
    .where(isNamed(reader))
    .executeTakeFirst();
  return found !== undefined;
}

function toMark(
  row: Pick<Selectable<PendingTables["pending_calls"]>, (typeof markColumns)[number]>,
): PendingMark {
  return {
    id: row.id,
    userId: row.user_id,
    principalName: row.principal_name,
    rowId: row.row_id,
    operationKey: row.operation_key,
    reason: row.reason,
    state: row.state,
    summary: JSON.parse(row.summary),
    decider: JSON.parse(row.decider),
    excluded: JSON.parse(row.excluded),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    approvedUntil: row.approved_until,
    decidedAt: row.decided_at,
    decidedByEmail: row.decided_by_email,
    comment: row.comment,
    deputyId: row.deputy_id,
    deputyBy: row.deputy_by,
  };
}
