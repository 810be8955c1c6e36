import { sql } from "kysely";
import type { Transaction } from "./database.ts";
import { toKysely } from "./kysely.ts";

/**
 * Marks the configuration as changed, so that processes reload their snapshots of it. Every
 * function of this folder that changes configuration calls this in the transaction of the change.
 */
export async function bumpRevision(trx: Transaction): Promise<void> {
  await toKysely(trx)
    .updateTable("revision")
    .set({ value: sql`value + 1` })
    .where("id", "=", 1)
    .execute();
}
