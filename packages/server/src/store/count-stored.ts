import type { Db } from "./database/database.ts";
import { toKysely } from "./database/kysely.ts";
import type { UserStatus } from "./database/tables/user-tables.ts";

export type StoredCounts = {
  usersByStatus: Record<UserStatus, number>;
  sessions: number;
  rows: number;
};

/** Counts users, rows and the sessions that have not expired at `now`. */
export async function countStored(db: Db, now: number): Promise<StoredCounts> {
  const usersByStatus: Record<UserStatus, number> = { pending: 0, active: 0, disabled: 0 };
  const users = await toKysely(db)
    .selectFrom("users")
    .select(["status", (users) => users.fn.countAll<number>().as("count")])
    .groupBy("status")
    .execute();
  for (const { status, count } of users) usersByStatus[status] = count;
  const sessions = await toKysely(db)
    .selectFrom("sessions")
    .select((sessions) => sessions.fn.countAll<number>().as("count"))
    .where("expires_at", ">", now)
    .executeTakeFirstOrThrow();
  const rows = await toKysely(db)
    .selectFrom("connector_rows")
    .select((rows) => rows.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return { usersByStatus, sessions: sessions.count, rows: rows.count };
}
