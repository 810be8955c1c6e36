import { sql } from "kysely";
import type { Transaction } from "../database/database.ts";
import { toClock, toKysely } from "../database/kysely.ts";

/**
 * Marks the configuration as changed, so that processes reload their snapshots of it. Every
 * function of this folder that changes configuration calls this in the transaction of the change.
 * Its values are times at least: a standby that lacks the last commits and then goes on never gives
 * a revision twice.
 */
export async function bumpRevision(trx: Transaction): Promise<void> {
  const clock = toClock(trx);
  await toKysely(trx)
    .updateTable("revision")
    .set({ value: sql`case when value < ${clock} then ${clock} else value + 1 end` })
    .where("id", "=", 1)
    .execute();
}
