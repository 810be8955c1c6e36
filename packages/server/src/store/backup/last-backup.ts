import { Database } from "bun:sqlite";
import { z } from "zod";
import type { Db } from "../database.ts";
import { findSetting } from "../settings.ts";
import { databasePath } from "../sqlite-connections.ts";

const key = "last_backup";

const lastBackupSchema = z.object({ at: z.int(), hasKeys: z.boolean() });
/** When the last backup of a database was made (milliseconds), and whether the keys are in it. */
export type LastBackup = z.infer<typeof lastBackupSchema>;

/** Null if none was made. */
export async function findLastBackup(db: Db): Promise<LastBackup | null> {
  const text = await findSetting(db, key);
  return text === null ? null : lastBackupSchema.parse(JSON.parse(text));
}

/**
 * Notes a backup in the database of a folder, which may be of an older version. The backup is complete
 * even if this fails, for example because the disk of the folder is full.
 */
export function noteBackup(
  dataDir: string,
  backup: LastBackup,
  path = databasePath(dataDir),
): void {
  try {
    const database = new Database(path, { readwrite: true });
    try {
      database.run("pragma busy_timeout = 5000");
      database
        .query(
          "insert into settings (key, value) values (?, ?) on conflict (key) do update set value = excluded.value",
        )
        .run(key, JSON.stringify(backup));
    } finally {
      database.close(true);
    }
  } catch {
    // Only the words of `hub doctor` depend on it.
  }
}
