import { sql } from "kysely";
import type { Db } from "./tables.ts";

/**
 * Marks the configuration as changed, so that processes reload their snapshots of it. Every
 * function of this folder that changes configuration calls this in the transaction of the change.
 */
export async function bumpRevision(db: Db): Promise<void> {
  await db.updateTable("revision").set({ value: sql`value + 1` }).where("id", "=", 1).execute();
}
