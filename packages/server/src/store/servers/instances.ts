import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { InstanceKind } from "../database/tables/hub-tables.ts";

/** A running process of the hub. */
export type InstanceRecord = {
  id: string;
  kind: InstanceKind;
  pid: number;
  hostname: string;
  startedAt: number;
  heartbeatAt: number;
  /** The URL of a serving process on its own machine; null for a process that does not serve. */
  localUrl: string | null;
  /** The URL for clients. */
  baseUrl: string | null;
  /** The hub's version in this process; empty if it is older than this record. */
  version: string;
  /** By how much the database's clock is ahead of the process's machine. */
  clockOffsetMs: number;
};

/** A process that starts; its addresses are known later. */
type NewInstance = Omit<InstanceRecord, "heartbeatAt" | LaterKnown> &
  Partial<Pick<InstanceRecord, LaterKnown>>;
type LaterKnown = "localUrl" | "baseUrl" | "version" | "clockOffsetMs";

export async function insertInstance(db: Db, instance: NewInstance): Promise<void> {
  const { id, kind, pid, hostname, startedAt } = instance;
  const { localUrl = null, baseUrl = null, version = "", clockOffsetMs = 0 } = instance;
  await toKysely(db)
    .insertInto("instances")
    .values({
      id,
      kind,
      pid,
      hostname,
      started_at: startedAt,
      heartbeat_at: startedAt,
      local_url: localUrl,
      base_url: baseUrl,
      version,
      clock_offset_ms: clockOffsetMs,
    })
    .execute();
}

/** Stores the addresses of a process that listens. */
export async function setInstanceAddress(
  db: Db,
  id: string,
  { localUrl, baseUrl }: { localUrl: string; baseUrl: string },
): Promise<void> {
  await toKysely(db)
    .updateTable("instances")
    .set({ local_url: localUrl, base_url: baseUrl })
    .where("id", "=", id)
    .execute();
}

/** False if another process took the instance for dead and removed it. */
export async function beatInstance(
  db: Db,
  id: string,
  at: number,
  clockOffsetMs = 0,
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("instances")
    .set({ heartbeat_at: at, clock_offset_ms: clockOffsetMs })
    .where("id", "=", id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function removeInstances(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await toKysely(db).deleteFrom("instances").where("id", "in", ids).execute();
}

/** Oldest first. */
export async function listInstances(db: Db): Promise<InstanceRecord[]> {
  return toKysely(db)
    .selectFrom("instances")
    .select([
      "id",
      "kind",
      "pid",
      "hostname",
      "started_at as startedAt",
      "heartbeat_at as heartbeatAt",
      "local_url as localUrl",
      "base_url as baseUrl",
      "version",
      "clock_offset_ms as clockOffsetMs",
    ])
    .orderBy("started_at")
    .orderBy("id")
    .execute();
}
