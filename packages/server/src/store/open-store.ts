import { Kysely } from "kysely";
import type { Tracing } from "../lib/tracing/tracing.ts";
import { createLocalCallCounts } from "./call-counts-local.ts";
import { createCommitWatch } from "./commit-watch-sqlite.ts";
import { connectionKey } from "./connection.ts";
import { createSqliteConnection } from "./connection-sqlite.ts";
import { createSqliteDialect } from "./dialect-sqlite.ts";
import { createSqliteHotReads } from "./hot-reads-sqlite.ts";
import { createLocalHourlyCounts } from "./hourly-counts-local.ts";
import { createFileLocks } from "./instance-locks.ts";
import { createIntegrityCheck } from "./integrity/check-integrity.ts";
import { type DroppedFrames, findDroppedFrames } from "./integrity/find-dropped-frames.ts";
import { createKeptStatements } from "./kept-statements.ts";
import { migrate, migrations } from "./migrate.ts";
import type { MigrateLog, MigrateOptions } from "./migration.ts";
import { createRunRecorder } from "./run-recorder.ts";
import { createSqliteRunWriter } from "./run-writer-sqlite.ts";
import { noSignals } from "./signals.ts";
import { databasePath, openReader, openWriter, readFileBytes } from "./sqlite-connections.ts";
import type { Store } from "./store.ts";
import type { Tables } from "./tables.ts";
import { traceRuns } from "./trace-runs.ts";
import { createQueryLog, traceReads } from "./trace-statements.ts";
import { createUsedBytesRead } from "./used-bytes-sqlite.ts";
import { createWorkflowWriter } from "./workflow-writer.ts";
import { createSqliteWorkflowWriter } from "./workflow-writer-sqlite.ts";
import { createWriterLock } from "./writer-lock.ts";

type OpenStoreDeps = {
  /** Created with mode 0700 if it does not exist. */
  dataDir: string;
  log?: MigrateLog;
  migration?: Omit<MigrateOptions, "log">;
  /** Called if committed transactions are lost, since the database's log is damaged. */
  onDropped?: ((dropped: DroppedFrames) => void) | undefined;
  /** How long a write waits while another process holds the write lock. */
  busyWaitMsMax?: number;
  /** Null or absent if no traces are recorded. */
  tracing?: Tracing | null;
};

/** Throws `bad_configuration` if the folder or database is unusable, or is from a newer hub. */
export async function openStore(deps: OpenStoreDeps): Promise<Store> {
  const { dataDir, log, migration, busyWaitMsMax = 5000, tracing = null } = deps;
  const resources = new AsyncDisposableStack();
  try {
    if (deps.onDropped !== undefined) {
      const dropped = findDroppedFrames(databasePath(dataDir));
      if (dropped !== null) deps.onDropped(dropped);
    }
    const database = await openWriter(dataDir, busyWaitMsMax);
    // `true` finalizes the statements too; otherwise SQLite keeps the file and its log open.
    resources.defer(() => database.close(true));
    const applied = await migrate(database, migrations, { ...migration, log });
    // Logs the migration of an existing database, but not the creation of a new one.
    if (applied[0] !== migrations[0]?.name) {
      for (const migration of applied) log?.info({ migration }, "database migrated");
    }
    const reader = openReader(dataDir);
    if (tracing !== null) traceReads(reader, tracing);
    resources.defer(() => reader.close(true));

    const lock = createWriterLock();
    const watch = createCommitWatch(database);
    const statements = resources.use(createKeptStatements(database));
    const onCommit = watch.recordCommit;
    const kysely = new Kysely<Tables>({
      dialect: createSqliteDialect({ database, lock, busyWaitMsMax, onCommit, statements }),
      ...(tracing !== null && { log: createQueryLog(tracing) }),
    });
    resources.defer(() => kysely.destroy());
    const writeRuns = createSqliteRunWriter({ database, busyWaitMsMax });
    const runs = createRunRecorder({ lock, writeRuns });
    const workflowRuns = createWorkflowWriter(
      createSqliteWorkflowWriter({ database, busyWaitMsMax }),
      lock,
    );
    resources.defer(() => lock.close());
    resources.defer(() => runs.drain());
    resources.defer(() => workflowRuns.drain());

    return {
      db: { [connectionKey]: createSqliteConnection({ dataDir, database, kysely, lock }) },
      // The processes of one folder share its machine's clock.
      clock: { now: () => Date.now(), measure: async () => {}, offsetMs: () => 0 },
      signals: noSignals,
      isShared: false,
      reads: createSqliteHotReads(reader, watch),
      runs: tracing === null ? runs : traceRuns(runs, tracing, "sqlite"),
      workflowRuns,
      callCounts: createLocalCallCounts({ now: () => Date.now() }),
      hourlyCounts: createLocalHourlyCounts({ now: () => Date.now() }),
      instanceLocks: createFileLocks(dataDir),
      readUsedBytes: createUsedBytesRead(reader),
      integrity: createIntegrityCheck({ path: databasePath(dataDir) }),
      describe: async () => ({
        kind: "SQLite",
        bytes: await readFileBytes(dataDir),
        newestMigration: migrations.at(-1)?.name ?? "none",
      }),
      readStatus: () => null,
      // SQLite has limits of its own.
      limitWaits: () => {},
      close: () => resources.disposeAsync(),
    };
  } catch (err) {
    await resources.disposeAsync();
    throw err;
  }
}
