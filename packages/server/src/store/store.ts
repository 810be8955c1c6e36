import type { DatabaseStatus } from "../lib/metrics/metrics.ts";
import type { InstanceLocks } from "./data-folder/instance-locks.ts";
import type { Db } from "./database/database.ts";
import type { HotReads } from "./database/hot-reads.ts";
import type { IntegrityCheck } from "./integrity/check-integrity.ts";
import type { CallCounts } from "./limits/call-counts.ts";
import type { HourlyCounts } from "./limits/hourly-counts.ts";
import type { RunRecorder } from "./runs/run-recorder.ts";
import type { Signals } from "./servers/signals.ts";
import type { WorkflowWriter } from "./workflow-runs/workflow-writer.ts";

/** What an admin sees of the database. */
export type StoreDescription = { kind: string; bytes: number; newestMigration: string };

/**
 * The time that all processes of a database share. A machine's own clock may be minutes off, and
 * then every time that another process compares would be wrong.
 */
export type SharedClock = {
  /** Epoch ms. */
  now(): number;
  /** Compares this machine's clock with the database's. */
  measure(): Promise<void>;
  /** By how much the database's clock is ahead of this machine's. */
  offsetMs(): number;
};

export type Store = {
  db: Db;
  reads: HotReads;
  runs: RunRecorder;
  workflowRuns: WorkflowWriter;
  callCounts: CallCounts;
  hourlyCounts: HourlyCounts;
  instanceLocks: InstanceLocks;
  clock: SharedClock;
  signals: Signals;
  /**
   * Whether servers on other machines may use this database, so that they share periodic work
   * and keep the installed plugins in it.
   */
  isShared: boolean;
  /** Bytes that the database uses on disk, without the free space of deleted rows. */
  readUsedBytes(): Promise<number>;
  /** Null for a database server, which checks its own files. */
  integrity: IntegrityCheck | null;
  describe(): Promise<StoreDescription>;
  /** Null for a database in this process. */
  readStatus(): DatabaseStatus | null;
  /** Before the process ends: a database that gives no answer keeps it for seconds only. */
  limitWaits(): void;
  /** Writes what is queued, then closes. */
  close(): Promise<void>;
};
