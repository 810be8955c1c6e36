import { Database } from "bun:sqlite";
import { HubError } from "../../errors.ts";
import { createFileLocks } from "../data-folder/instance-locks.ts";
import { migrate, migrations } from "../migrate.ts";
import type { BeforeUpgrade, MigrateLog } from "../migration.ts";
import { listSealedSecrets } from "../sqlite/sealed-secrets-sqlite.ts";
import { databasePath, hasDatabase, openWriter } from "../sqlite/sqlite-connections.ts";
import { isBusy } from "../sqlite/sqlite-errors.ts";
import { type CopiedRow, type CopiedTable, readCopiedTables } from "./copied-table.ts";

/** A data folder whose database is locked for writing until it is closed. */
export type FolderSource = {
  /** Recognises the hub of the folder when a copy is continued. */
  id: string;
  tables: readonly CopiedTable[];
  /** Applied when the folder was opened. */
  migrated: readonly string[];
  countRows(table: CopiedTable): number;
  /** In the order of the primary key, after this key. */
  readRows(table: CopiedTable, after: CopiedRow | null): Iterable<CopiedRow>;
  /** Every secret that the key ring has sealed. */
  listSealed(): Iterable<Uint8Array>;
  close(): void;
};

type OpenDeps = {
  dataDir: string;
  log: MigrateLog;
  beforeUpgrade?: BeforeUpgrade | undefined;
};

const busyWaitMsMax = 5_000;

/** Refuses a folder whose hub runs. Migrates its database first. */
export async function openFolderSource(deps: OpenDeps): Promise<FolderSource> {
  const { dataDir, log, beforeUpgrade } = deps;
  if (!hasDatabase(dataDir)) {
    throw new HubError("not_found", "The data folder has no database to copy.", {
      localMessage: `The data folder ${dataDir} has no database to copy. Name the folder with --data-dir or HUB_DATA_DIR.`,
    });
  }
  const writer = await openWriter(dataDir, busyWaitMsMax);
  const migrated = await migrate(writer, migrations, { log, beforeUpgrade }).finally(() =>
    writer.close(true),
  );
  const database = new Database(databasePath(dataDir), { readwrite: true, safeIntegers: true });
  try {
    // Held until the end: no process starts or changes something meanwhile.
    lockDatabase(database);
    await checkUnused(database, dataDir);
    return { ...createSource(database), migrated, close: () => database.close(true) };
  } catch (err) {
    database.close(true);
    throw err;
  }
}

function lockDatabase(database: Database): void {
  try {
    database.run(`pragma busy_timeout = ${busyWaitMsMax}`);
    database.run("begin immediate");
  } catch (err) {
    if (!isBusy(err)) throw err;
    throw new HubError(
      "conflict",
      "Another program writes to the database of the data folder. Stop it, then copy again.",
      { cause: err },
    );
  }
}

type Process = { id: string; kind: string; pid: bigint; hostname: string };

async function checkUnused(database: Database, dataDir: string): Promise<void> {
  const locks = createFileLocks(dataDir);
  const processes = database
    .query<Process, []>("select id, kind, pid, hostname from instances order by started_at")
    .all();
  for (const { id, kind, pid, hostname } of processes) {
    if ((await locks.isHeld(id)) !== true) continue;
    throw new HubError(
      "conflict",
      `The hub of the data folder runs (${kind}, process ${pid} on ${hostname}). Stop it, then copy again: what it stored after the copy would be lost.`,
    );
  }
}

function createSource(database: Database): Omit<FolderSource, "migrated" | "close"> {
  const tables = readCopiedTables(database);
  const [first] = database
    .query<{ name: string; applied_at: bigint }, []>(
      "select name, applied_at from migrations order by name limit 1",
    )
    .all();
  return {
    // Two hubs are not created in the same millisecond and copied to the same database.
    id: `${first?.name} ${first?.applied_at}`,
    tables,
    countRows({ name }) {
      const counted = database.query<{ n: bigint }, []>(`select count(*) as n from "${name}"`);
      return Number(counted.get()?.n ?? 0);
    },
    readRows({ name, columns, key }, after) {
      const list = (names: readonly string[]) => names.map((each) => `"${each}"`).join(", ");
      const marks = key.map(() => "?").join(", ");
      const where = after === null ? "" : ` where (${list(key)}) > (${marks})`;
      const names = columns.map((column) => column.name);
      // Not cached: a statement that was left half-way would go on there.
      const statement = database.prepare<CopiedRow, CopiedRow[string][]>(
        `select ${list(names)} from "${name}"${where} order by ${list(key)}`,
      );
      return statement.iterate(...(after === null ? [] : key.map((each) => after[each] ?? null)));
    },
    listSealed: () => listSealedSecrets(database),
  };
}
