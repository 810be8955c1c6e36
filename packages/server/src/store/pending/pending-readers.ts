import { expressionBuilder, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/** A user who may read or decide calls, with the tags of this moment. */
export type PendingReader = {
  userId: string;
  tags: readonly string[];
  /** The user whose calls count as the reader's too: the local admin, for admins. */
  alsoAs: string | null;
};

/** What `decider` has for calls that their caller decides. */
const byCaller = JSON.stringify({ kind: "caller" });

/** Whether the row of `pending_calls` that a statement looks at is a call of the reader. */
export function isOwnCall({ userId, alsoAs }: PendingReader) {
  const builder = expressionBuilder<Tables, "pending_calls">();
  return builder("pending_calls.user_id", "in", alsoAs === null ? [userId] : [userId, alsoAs]);
}

/** Whether the reader is one of those who are asked about it. */
export function isAsked(reader: PendingReader) {
  const builder = expressionBuilder<Tables, "pending_calls">();
  return builder.or([
    builder.and([builder("pending_calls.decider", "=", byCaller), isOwnCall(reader)]),
    isNamed(reader),
  ]);
}

/** Whether the reader has one of the deciding tags, or is the deputy. */
export function isNamed({ userId, tags }: PendingReader) {
  const builder = expressionBuilder<Tables, never>();
  const named = builder
    .selectFrom("pending_call_deciders")
    .select("call_id")
    .where("call_id", "=", sql.ref<string>("pending_calls.id"))
    .where((one) =>
      one.or([
        one.and([one("kind", "=", "user"), one("name", "=", userId)]),
        ...(tags.length === 0 ? [] : [one.and([one("kind", "=", "tag"), one("name", "in", tags)])]),
      ]),
    );
  return builder.exists(named);
}
