import { sql } from "kysely";
import type { Db } from "./tables.ts";

/**
 * Says that configuration changed: whoever keeps a snapshot of it reads it anew. Called in the
 * transaction of the change, by every function here that changes configuration.
 */
export async function bumpRevision(db: Db): Promise<void> {
  await db.updateTable("revision").set({ value: sql`value + 1` }).where("id", "=", 1).execute();
}
