import { Kysely } from "kysely";
import { createSqliteDialect } from "./dialect-sqlite.ts";
import type { HotReads } from "./hot-reads.ts";
import { createSqliteHotReads } from "./hot-reads-sqlite.ts";
import { inTransaction } from "./in-transaction.ts";
import { createFileLocks, type InstanceLocks } from "./instance-locks.ts";
import { migrate, migrations } from "./migrate.ts";
import { createRunRecorder, type RunRecorder } from "./run-recorder.ts";
import { createSqliteRunWriter } from "./run-writer-sqlite.ts";
import { openReader, openWriter } from "./sqlite-connections.ts";
import type { Db, Tables } from "./tables.ts";
import { createUsedBytesRead } from "./used-bytes-sqlite.ts";
import { createWriterLock } from "./writer-lock.ts";

type OpenStoreDeps = {
  /** Created with mode 0700 if it does not exist. */
  dataDir: string;
  log?: { info(fields: Record<string, unknown>, message: string): void };
  /** How long a write waits while another process holds the write lock. */
  busyWaitMsMax?: number;
};

export type Store = {
  db: Db;
  reads: HotReads;
  runs: RunRecorder;
  instanceLocks: InstanceLocks;
  /** Bytes that the database uses on disk, without the free space of deleted rows. */
  readUsedBytes(): number;
  /**
   * Runs an atomic, serializable transaction. Inside, use only the given `trx`: `db` and `runs`
   * would wait for this transaction to end, so they refuse. Read the clock, randomness and the
   * network before it, and have effects after the commit: the callback runs again after a conflict
   * with another transaction.
   */
  transaction<T>(change: (trx: Db) => Promise<T>): Promise<T>;
  /** Writes what is queued, then closes. */
  close(): Promise<void>;
};

/** Throws `bad_configuration` if the folder or database is unusable, or is from a newer hub. */
export async function openStore(deps: OpenStoreDeps): Promise<Store> {
  const { dataDir, log, busyWaitMsMax = 5000 } = deps;
  const resources = new AsyncDisposableStack();
  try {
    const database = await openWriter(dataDir, busyWaitMsMax);
    // `true` finalizes the statements too; otherwise SQLite keeps the file and its log open.
    resources.defer(() => database.close(true));
    const applied = await migrate(database);
    // Logs the migration of an existing database, but not the creation of a new one.
    if (applied[0] !== migrations[0]?.name) {
      for (const migration of applied) log?.info({ migration }, "database migrated");
    }
    const reader = openReader(dataDir);
    resources.defer(() => reader.close(true));

    const lock = createWriterLock();
    const db = new Kysely<Tables>({
      dialect: createSqliteDialect({ database, lock, busyWaitMsMax }),
    });
    resources.defer(() => db.destroy());
    const writeRuns = createSqliteRunWriter({ database, busyWaitMsMax });
    const runs = createRunRecorder({ lock, writeRuns });
    resources.defer(() => lock.close());
    resources.defer(() => runs.drain());

    return {
      db,
      reads: createSqliteHotReads(reader),
      runs,
      instanceLocks: createFileLocks(dataDir),
      readUsedBytes: createUsedBytesRead(reader),
      transaction: (change) => inTransaction(db, (trx) => lock.holdWhile(() => change(trx))),
      close: () => resources.disposeAsync(),
    };
  } catch (err) {
    await resources.disposeAsync();
    throw err;
  }
}
