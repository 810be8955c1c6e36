import { CompiledQuery, type DatabaseConnection, type Dialect, Kysely } from "kysely";
import type { Connection } from "../database/connection.ts";
import type { Tables } from "../database/tables.ts";
import { createPlanDialect, type PreparedStatement } from "../plan/plan-dialect.ts";
import { toCopyCondition } from "../plan/plan-tables.ts";
import { createListPadding } from "./pad-lists.ts";
import { quoteName } from "./quote-name.ts";

/**
 * Plans in a transaction that is rolled back. The copies are temporary tables, whose names hide those
 * of the database's. So a plan locks no row of them.
 */
export function createPostgresPlan(own: Dialect): Connection["plan"] {
  return async (change) => {
    await using resources = new AsyncDisposableStack();
    const statements: PreparedStatement[] = [];
    const dialect = createPlanDialect({ dialect: own, copyTable, statements });
    const kysely = new Kysely<Tables>({ dialect, plugins: [createListPadding()] });
    resources.defer(() => kysely.destroy());
    const trx = await kysely.startTransaction().setIsolationLevel("repeatable read").execute();
    resources.defer(() => trx.rollback().execute());
    return { result: await change(trx), statements };
  };
}

async function copyTable(connection: DatabaseConnection, table: string): Promise<void> {
  const run = <R>(text: string) => connection.executeQuery<R>(CompiledQuery.raw(text));
  const { rows } = await run<{ name: string; listed: string }>(`
    select current_schema() as name, string_agg(quote_ident(column_name), ', ') as listed
    from information_schema.columns
    where table_schema = current_schema() and table_name = '${table}'`);
  const [found] = rows;
  if (found === undefined) throw new Error(`There is no table ${table}.`);
  const { listed } = found;
  const name = quoteName(table);
  const stored = `${quoteName(found.name)}.${name}`;
  await run(`create temp table ${name} (like ${stored} including all)`);
  await run(
    `insert into pg_temp.${name} (${listed}) select ${listed} from ${stored} ${toCopyCondition(table)}`,
  );
}
