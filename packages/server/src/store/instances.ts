import type { Db, InstanceKind } from "./tables.ts";

/** A running process of the hub. */
export type InstanceRecord = {
  id: string;
  kind: InstanceKind;
  pid: number;
  hostname: string;
  startedAt: number;
  heartbeatAt: number;
};

export async function insertInstance(
  db: Db,
  instance: Omit<InstanceRecord, "heartbeatAt">,
): Promise<void> {
  const { id, kind, pid, hostname, startedAt } = instance;
  await db
    .insertInto("instances")
    .values({ id, kind, pid, hostname, started_at: startedAt, heartbeat_at: startedAt })
    .execute();
}

/** False when someone removed the instance, taking it for dead. */
export async function beatInstance(db: Db, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable("instances")
    .set({ heartbeat_at: at })
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function removeInstance(db: Db, id: string): Promise<void> {
  await db.deleteFrom("instances").where("id", "=", id).execute();
}

/** Forgets the processes that have not beaten since `deadBefore`. */
export async function removeDeadInstances(db: Db, bounds: { deadBefore: number }): Promise<void> {
  await db.deleteFrom("instances").where("heartbeat_at", "<", bounds.deadBefore).execute();
}

/** Oldest first. */
export async function listInstances(db: Db): Promise<InstanceRecord[]> {
  return db
    .selectFrom("instances")
    .select([
      "id",
      "kind",
      "pid",
      "hostname",
      "started_at as startedAt",
      "heartbeat_at as heartbeatAt",
    ])
    .orderBy("started_at")
    .orderBy("id")
    .execute();
}
