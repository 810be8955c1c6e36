import { Database } from "bun:sqlite";
import { z } from "zod";
import type { Db } from "../database/database.ts";
import { findSetting } from "../settings/settings-table.ts";
import { databasePath } from "../sqlite/sqlite-connections.ts";

const key = "last_backup";
const rotatedKey = "last_rotated_backup";

const lastBackupSchema = z.object({
  at: z.int(),
  hasKeys: z.boolean(),
  intervalMs: z.int().optional(),
});
/**
 * When the last backup of a database was made (milliseconds), whether the keys are in it and, if rotation made it, how long
 * before the last one of rotation was made.
 */
export type LastBackup = z.infer<typeof lastBackupSchema>;

/** Null if none was made. */
export async function findLastBackup(db: Db): Promise<LastBackup | null> {
  const text = await findSetting(db, key);
  return text === null ? null : lastBackupSchema.parse(JSON.parse(text));
}

const dayMs = 24 * 60 * 60 * 1000;
/** Of backups that are made by hand. */
const ageMsMax = 7 * dayMs;
const rotatedAgeMs = { min: 2 * dayMs, max: 90 * dayMs };

/** The clock of a backup may be ahead of the hub's by this much. */
const clockMsMax = 60 * 60 * 1000;

/**
 * Whether the next backup is late: after twice the interval of a rotation, and otherwise after a week. A backup of the future
 * was made by a clock that was ahead, so it is not known when.
 */
export function isBackupLate({ at, intervalMs }: LastBackup, now: number): boolean {
  if (at > now + clockMsMax) return true;
  if (intervalMs === undefined) return now > at + ageMsMax;
  return now > at + Math.min(Math.max(2 * intervalMs, rotatedAgeMs.min), rotatedAgeMs.max);
}

/**
 * Records a backup in the database of a folder, which may be of an older version. The backup is complete
 * even if this fails, for example because the disk of the folder is full.
 */
export function recordBackup(
  dataDir: string,
  backup: Pick<LastBackup, "at" | "hasKeys"> & { isRotated?: boolean },
  path = databasePath(dataDir),
): void {
  try {
    const database = new Database(path, { readwrite: true });
    try {
      database.run("pragma busy_timeout = 5000");
      const recorded = toRecorded(database, backup);
      put(database, key, JSON.stringify(recorded));
    } finally {
      database.close(true);
    }
  } catch {
    // Only the words of `hub doctor` depend on it.
  }
}

/** With the interval since the last backup of rotation, which stands beside the last backup. */
function toRecorded(
  database: Database,
  { at, hasKeys, isRotated = false }: Parameters<typeof recordBackup>[1],
): LastBackup {
  if (!isRotated) return { at, hasKeys };
  const find = database.query<{ value: string }, [string]>(
    "select value from settings where key = ?",
  );
  const before = Number(find.get(rotatedKey)?.value ?? Number.NaN);
  put(database, rotatedKey, String(at));
  // The first one says nothing of an interval yet.
  const isKnown = Number.isSafeInteger(before) && before < at;
  return { at, hasKeys, intervalMs: isKnown ? at - before : dayMs };
}

function put(database: Database, name: string, value: string): void {
  database
    .query(
      "insert into settings (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
    )
    .run(name, value);
}
