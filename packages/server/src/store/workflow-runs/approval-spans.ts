import { type Expression, type SqlBool, sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { Tables } from "../database/tables.ts";
import type { ApprovalReader } from "./approval-readers.ts";
import type { ApprovalState } from "./workflow-approval-records.ts";

/** A position in the list of approvals, which is newest first. */
export type ApprovalPosition = { createdAt: number; id: string };

type ApprovalSpan = {
  state?: ApprovalState | undefined;
  /** With the state `pending`: only those of which this user is an approver. */
  approver?: ApprovalReader | undefined;
};

type Span = { after?: ApprovalPosition | undefined; limit: number };

/** Tags in one statement. */
const tagsMax = 100;

/**
 * The positions of the newest approvals after `after`, at most `limit`, read from an index alone. Each one that has the
 * state, and waits for the approver, is among them or later; of an approver without the state `pending`, all are.
 */
export async function listPositions(
  db: Db,
  { state, approver }: ApprovalSpan,
  span: Span,
): Promise<ApprovalPosition[]> {
  if (state === "pending" && approver !== undefined) return await listWaiting(db, approver, span);
  let query = toKysely(db)
    .selectFrom("workflow_approvals")
    .select(["created_at as createdAt", "id"])
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(span.limit);
  // A literal, because SQLite uses no partial index for a parameter.
  if (state !== undefined) query = query.where("state", "=", sql.lit(state));
  if (span.after !== undefined) query = query.where(isAfter("created_at", "id", span.after));
  return await query.execute();
}

/** Those that wait for a user or one of the user's tags. Each has an index of its own, which is entered at the position. */
async function listWaiting(
  db: Db,
  { userId, email, tags }: ApprovalReader,
  span: Span,
): Promise<ApprovalPosition[]> {
  const waitsFor = (kind: Tables["workflow_approvers"]["kind"], name: string) => {
    let query = toKysely(db)
      .selectFrom("workflow_approvers")
      .select(["waiting_since", "approval_id"])
      .where("kind", "=", sql.lit(kind))
      .where("name", "=", name)
      .where("waiting_since", "is not", null)
      .orderBy("waiting_since", "desc")
      .orderBy("approval_id", "desc")
      .limit(span.limit);
    if (kind === "user") query = query.where("email", "=", email);
    if (span.after !== undefined) {
      query = query.where(isAfter("waiting_since", "approval_id", span.after));
    }
    // SQLite takes a limit in a part of a union only in brackets of its own.
    return toKysely(db).selectFrom(query.as("part")).select(["waiting_since", "approval_id"]);
  };
  const found = new Map<string, ApprovalPosition>();
  for (let start = 0; start === 0 || start < tags.length; start += tagsMax) {
    let all = waitsFor("user", userId);
    for (const tag of tags.slice(start, start + tagsMax)) all = all.unionAll(waitsFor("tag", tag));
    const part = await toKysely(db)
      .selectFrom(all.as("waiting"))
      .select(["waiting_since as createdAt", "approval_id as id"])
      .distinct()
      .orderBy("waiting_since", "desc")
      .orderBy("approval_id", "desc")
      .limit(span.limit)
      .execute();
    for (const { id, createdAt } of part) found.set(id, { createdAt: Number(createdAt), id });
  }
  return [...found.values()].sort(compareNewestFirst).slice(0, span.limit);
}

/** Compared as a pair, so that the index is entered at the position. */
function isAfter(time: string, id: string, after: ApprovalPosition): Expression<SqlBool> {
  const position = sql`(${sql.val(after.createdAt)}, ${sql.val(after.id)})`;
  return sql<SqlBool>`(${sql.ref(time)}, ${sql.ref(id)}) < ${position}`;
}

/** Ids are ASCII, so they have the order of the database. */
function compareNewestFirst(a: ApprovalPosition, b: ApprovalPosition): number {
  return b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1);
}
