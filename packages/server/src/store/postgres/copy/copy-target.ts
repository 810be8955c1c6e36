import { HubError } from "../../../errors.ts";
import type { CopiedRow, CopiedTable } from "../../copy/copied-table.ts";
import type { CopyProgress, CopyTarget } from "../../copy/copy-tables.ts";
import { toStorableText } from "../../database/storable-text.ts";
import type { MigrateLog } from "../../migration.ts";
import { checkSessions } from "../connections/check-session.ts";
import { createConnectionPool, type PooledConnection } from "../connections/connection-pool.ts";
import { explainStart, openClient } from "../connections/open-client.ts";
import { migratePostgres, postgresMigrations, readPostgresSchema } from "../migrate-postgres.ts";
import { quoteName } from "../quote-name.ts";
import { toDatabaseAddress } from "../to-database-address.ts";
import { readProgress, writeProgress } from "./copy-progress-text.ts";
import { readCopiedRows } from "./read-copied-rows.ts";

/** A PostgreSQL database that a copy fills. */
export type PostgresCopyTarget = CopyTarget & {
  /** The address without user and password. */
  place: string;
  /** Stores these settings of the new hub, and lets servers start. */
  finish(settings: ReadonlyMap<string, string>): Promise<void>;
  close(): Promise<void>;
};

type OpenTargetDeps = {
  url: string;
  sourceId: string;
  tables: readonly CopiedTable[];
  /** The rows that each table has in a new database. */
  seeds: ReadonlyMap<string, number>;
  /** Forgets an interrupted copy, also one of another source. */
  restarts: boolean;
  log: MigrateLog;
};

/** Its existence keeps servers from starting: see `refuseUnfinishedCopy`. */
const progressTable = "unfinished_copy";
/** Of the advisory lock of copies: an arbitrary number, one above that of migrations. */
const lockKey = "7013246981247735159";

/** Migrates the database. Refuses one that holds something else than a part of the same copy. */
export async function openCopyTarget(deps: OpenTargetDeps): Promise<PostgresCopyTarget> {
  const { url, sourceId, tables, log } = deps;
  const pool = createConnectionPool({
    connect: () => openClient({ url, max: 2 }),
  });
  const resources = new AsyncDisposableStack();
  resources.defer(() => pool.close());
  try {
    await checkSessions(pool);
    await migratePostgres(pool, postgresMigrations, { log });
    const connection = await pool.reserve();
    resources.defer(async () => connection.release());
    const { newer } = await readPostgresSchema(connection);
    if (newer.length > 0) throw refuseNewer(newer);
    await lockTarget(connection);
    let progress = await findProgress(connection, deps);
    if (progress === null) await checkEmpty(connection, deps);
    return {
      place: toDatabaseAddress(url),
      progress: () => progress,
      async begin() {
        await inTransaction(connection, async () => {
          await connection.query(
            `create table if not exists ${progressTable} (source text not null, progress text not null)`,
          );
          const names = tables.map(({ name }) => quoteName(name)).join(", ");
          await connection.query(`truncate ${progressTable}, ${names}`);
          await connection.query(`insert into ${progressTable} values ($1, $2)`, [
            sourceId,
            writeProgress({ complete: [], last: null }),
          ]);
        });
      },
      async store(table, rows, next) {
        await inTransaction(connection, async () => {
          if (rows.length > 0) await insertRows(connection, table, rows);
          await connection.query(`update ${progressTable} set progress = $1`, [
            writeProgress(next),
          ]);
        });
        progress = next;
      },
      readRows: (table) => readCopiedRows(connection, table),
      finish: (settings) =>
        inTransaction(connection, async () => {
          for (const [key, value] of settings) {
            await connection.query(
              "insert into settings (key, value) values ($1, $2) on conflict (key) do update set value = excluded.value",
              [key, value],
            );
          }
          await connection.query(`drop table ${progressTable}`);
        }),
      close: () => resources.disposeAsync(),
    };
  } catch (err) {
    await resources.disposeAsync();
    throw await explainStart(err, url);
  }
}

/** Refuses a database that a copy has begun to fill. */
export async function refuseUnfinishedCopy(
  connection: Pick<PooledConnection, "query">,
): Promise<void> {
  if (!(await hasProgress(connection))) return;
  throw new HubError(
    "conflict",
    "The database is being filled by hub db copy, or the copy was interrupted. Complete it by the same command, then start the hub.",
  );
}

async function lockTarget(connection: PooledConnection): Promise<void> {
  const { rows } = await connection.query<{ locked: boolean }>(
    "select pg_try_advisory_lock($1::bigint) as locked",
    [lockKey],
  );
  if (rows[0]?.locked === true) return;
  throw new HubError("conflict", "Another hub db copy fills this database. Wait for its end.");
}

async function findProgress(
  connection: PooledConnection,
  { sourceId, restarts }: OpenTargetDeps,
): Promise<CopyProgress | null> {
  if (!(await hasProgress(connection))) return null;
  const { rows } = await connection.query<{ source: string; progress: string }>(
    `select source, progress from ${progressTable}`,
  );
  const [found] = rows;
  if (found === undefined || restarts) return null;
  if (found.source === sourceId) return readProgress(found.progress);
  throw new HubError(
    "conflict",
    "The database holds a part of another data folder, from an interrupted hub db copy. Choose an empty database, or discard that part with --restart.",
  );
}

async function hasProgress(connection: Pick<PooledConnection, "query">): Promise<boolean> {
  const { rows } = await connection.query<{ found: boolean }>(
    `select to_regclass('${progressTable}') is not null as found`,
  );
  return rows[0]?.found === true;
}

async function checkEmpty(
  connection: PooledConnection,
  { tables, seeds }: OpenTargetDeps,
): Promise<void> {
  // What an interrupted copy has stored is discarded.
  if (await hasProgress(connection)) return;
  for (const { name } of tables) {
    const seeded = seeds.get(name) ?? 0;
    const { rows } = await connection.query<{ n: number }>(
      `select count(*) as n from (select 1 from ${quoteName(name)} limit ${seeded + 1}) as first_rows`,
    );
    if (rows[0]?.n === seeded) continue;
    throw new HubError(
      "conflict",
      `The database already holds a hub: its table ${name} is not empty. A copy never mixes two hubs. Choose an empty database.`,
    );
  }
}

async function inTransaction(
  connection: PooledConnection,
  work: () => Promise<void>,
): Promise<void> {
  await connection.query("begin");
  try {
    await work();
    await connection.query("commit");
  } catch (err) {
    await connection.query("rollback").catch(() => {});
    throw err;
  }
}

/** One statement for any number of rows; JSON keeps all digits of integers. */
async function insertRows(
  connection: PooledConnection,
  { name, columns }: CopiedTable,
  rows: readonly CopiedRow[],
): Promise<void> {
  const list = columns.map((column) => quoteName(column.name)).join(", ");
  await connection.query(
    `insert into ${quoteName(name)} (${list})
    select ${list} from json_populate_recordset(null::${quoteName(name)}, $1::text::json)`,
    [JSON.stringify(rows, writeValue)],
  );
}

function writeValue(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return JSON.rawJSON(value.toString());
  if (typeof value === "string") return toStorableText(value);
  return value instanceof Uint8Array ? `\\x${value.toHex()}` : value;
}

function refuseNewer(newer: readonly string[]): HubError {
  return new HubError(
    "conflict",
    `The database is of the next version of the hub (${newer.join(", ")}). Copy with that version.`,
  );
}
