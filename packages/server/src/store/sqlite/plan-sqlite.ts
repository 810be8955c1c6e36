import { Database } from "bun:sqlite";
import { CompiledQuery, type DatabaseConnection, Kysely } from "kysely";
import type { Connection } from "../database/connection.ts";
import type { Tables } from "../database/tables.ts";
import { createPlanDialect, type PreparedStatement } from "../plan/plan-dialect.ts";
import { toCopyCondition } from "../plan/plan-tables.ts";
import { createSqliteDialect } from "./dialect-sqlite.ts";
import { createKeptStatements } from "./kept-statements.ts";
import { databasePath } from "./sqlite-connections.ts";
import { createWriterLock } from "./writer-lock.ts";

/**
 * Plans on a read-only connection of its own. The copies are temporary tables in memory, whose names
 * hide those of the database's. So a plan never takes the write lock.
 */
export function createSqlitePlan(dataDir: string): Connection["plan"] {
  return async (change) => {
    await using resources = new AsyncDisposableStack();
    const database = new Database(databasePath(dataDir), { readonly: true });
    resources.defer(() => database.close(true));
    database.run("pragma busy_timeout = 5000");
    database.run("pragma temp_store = memory");
    // The copies of parents may be missing. The constraints are checked when the plan is stored.
    database.run("pragma foreign_keys = off");
    const statements: PreparedStatement[] = [];
    const lock = createWriterLock();
    // A plan of thousands of items runs the same few statements.
    const kept = resources.use(createKeptStatements(database));
    const own = createSqliteDialect({
      database,
      lock,
      busyWaitMsMax: 5000,
      statements: kept,
      onCommit: () => {},
    });
    const dialect = createPlanDialect({ dialect: own, copyTable, statements });
    const kysely = new Kysely<Tables>({ dialect });
    resources.defer(() => kysely.destroy());
    const trx = await kysely.startTransaction().setAccessMode("read only").execute();
    resources.defer(() => trx.rollback().execute());
    return { result: await change(trx), statements };
  };
}

async function copyTable(connection: DatabaseConnection, table: string): Promise<void> {
  const run = <R>(text: string) => connection.executeQuery<R>(CompiledQuery.raw(text));
  const { rows } = await run<{ sql: string }>(
    `select sql from main.sqlite_master where tbl_name = '${table}' and sql is not null order by type desc`,
  );
  for (const { sql } of rows) {
    await run(
      sql
        .replace(/^create\s+table\s+/i, "create temp table ")
        .replace(/^create\s+(unique\s+)?index\s+/i, "create $1index temp."),
    );
  }
  await run(`insert into temp."${table}" select * from main."${table}" ${toCopyCondition(table)}`);
}
