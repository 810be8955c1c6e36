import type { Db } from "./database.ts";
import type { HotReads } from "./hot-reads.ts";
import type { InstanceLocks } from "./instance-locks.ts";
import type { RunRecorder } from "./run-recorder.ts";

/** What an admin sees of the database. */
export type StoreDescription = { kind: string; bytes: number; newestMigration: string };

export type Store = {
  db: Db;
  reads: HotReads;
  runs: RunRecorder;
  instanceLocks: InstanceLocks;
  /** Bytes that the database uses on disk, without the free space of deleted rows. */
  readUsedBytes(): Promise<number>;
  describe(): Promise<StoreDescription>;
  /** Writes what is queued, then closes. */
  close(): Promise<void>;
};
