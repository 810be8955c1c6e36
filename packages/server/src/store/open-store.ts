import type { Database } from "bun:sqlite";
import { Kysely } from "kysely";
import type { Tracing } from "../lib/tracing/tracing.ts";
import { createFileLocks } from "./data-folder/instance-locks.ts";
import { connectionKey } from "./database/connection.ts";
import type { Tables } from "./database/tables.ts";
import { createQueryLog, traceReads } from "./database/trace-statements.ts";
import { createIntegrityCheck } from "./integrity/check-integrity.ts";
import { type DroppedFrames, findDroppedFrames } from "./integrity/find-dropped-frames.ts";
import { createLocalCallCounts } from "./limits/call-counts-local.ts";
import { createLocalHourlyCounts } from "./limits/hourly-counts-local.ts";
import { migrate, migrations } from "./migrate.ts";
import type { MigrateLog, MigrateOptions } from "./migration.ts";
import { createRunRecorder } from "./runs/run-recorder.ts";
import { traceRuns } from "./runs/trace-runs.ts";
import { noSignals } from "./servers/signals.ts";
import { createCommitWatch } from "./sqlite/commit-watch-sqlite.ts";
import { createSqliteConnection } from "./sqlite/connection-sqlite.ts";
import { createSqliteDialect } from "./sqlite/dialect-sqlite.ts";
import { createSqliteHotReads } from "./sqlite/hot-reads-sqlite.ts";
import { createKeptStatements } from "./sqlite/kept-statements.ts";
import { createSqliteRunWriter } from "./sqlite/run-writer-sqlite.ts";
import {
  databasePath,
  openReader,
  openWriter,
  readFileBytes,
} from "./sqlite/sqlite-connections.ts";
import { createSqliteWorkflowWriter } from "./sqlite/workflow-writer-sqlite.ts";
import { createWriterLock } from "./sqlite/writer-lock.ts";
import type { Store } from "./store.ts";
import { createWorkflowWriter } from "./workflow-runs/workflow-writer.ts";

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

/** Reads the header of the database file, which costs the same at any size. */
function createUsedBytesRead(reader: Database): () => Promise<number> {
  const read = reader.prepare<{ bytes: number }, []>(`
    select (page_count - freelist_count) * page_size as bytes
    from pragma_page_count, pragma_freelist_count, pragma_page_size`);
  return async () => read.get()?.bytes ?? 0;
}
