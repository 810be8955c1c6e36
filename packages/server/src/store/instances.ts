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

export async function removeInstances(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.deleteFrom("instances").where("id", "in", ids).execute();
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
