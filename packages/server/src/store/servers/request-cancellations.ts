import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toClock, toKysely } from "../database/kysely.ts";

/** An MCP request that its client cancelled, by the session that the client used for both. */
export type RequestCancellation = {
  id: string;
  userId: string;
  sessionId: string;
  requestId: string;
};

/** Longer than any process needs to see it, unless the database is away. */
const keptMs = 30_000;

export async function insertRequestCancellation(
  db: Db,
  { id, userId, sessionId, requestId }: RequestCancellation,
): Promise<void> {
  await toKysely(db)
    .insertInto("request_cancellations")
    .values({
      id,
      user_id: userId,
      session_id: sessionId,
      request_id: requestId,
      requested_at: toClock(db),
    })
    .execute();
}

export function listRequestCancellations(db: Db): Promise<RequestCancellation[]> {
  return toKysely(db)
    .selectFrom("request_cancellations")
    .select(["id", "user_id as userId", "session_id as sessionId", "request_id as requestId"])
    .execute();
}

/** Deletes those that every process has seen. */
export async function removeOldRequestCancellations(db: Db): Promise<void> {
  await toKysely(db)
    .deleteFrom("request_cancellations")
    .where("requested_at", "<", sql<number>`${toClock(db)} - ${sql.lit(keptMs)}`)
    .execute();
}
