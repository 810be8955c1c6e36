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
  /** Made with mode 0700 when it is not there. */
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
  /** Bytes of the disk that the database has in use; what deleted rows left free is not among them. */
  readUsedBytes(): number;
  /**
   * All or nothing, and serializable. Inside, use only the `trx` that is given: `db` and `runs` would
   * wait for this very transaction to end, so they refuse. What needs the clock, randomness or the
   * network is computed before, and effects follow the commit, so that it can be run again.
   */
  transaction<T>(change: (trx: Db) => Promise<T>): Promise<T>;
  /** Writes what is queued, then closes. */
  close(): Promise<void>;
};

/** Throws `bad_configuration` when the folder or the database cannot be used, or a newer hub made it. */
export async function openStore(deps: OpenStoreDeps): Promise<Store> {
  const { dataDir, log, busyWaitMsMax = 5000 } = deps;
  const resources = new AsyncDisposableStack();
  try {
    const database = await openWriter(dataDir, busyWaitMsMax);
    // `true` finalizes the statements too: without, SQLite keeps the file and its log open.
    resources.defer(() => database.close(true));
    const applied = await migrate(database);
    // A new database is no news; one that was brought up to date is.
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
