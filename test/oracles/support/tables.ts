import type { Database } from "bun:sqlite";
import type { SQL } from "bun";

/** What a table holds, in words that mean the same on both databases. */
export type TableDescription = {
  /** `name kind`, with `not null` or a default. */
  columns: string[];
  primaryKey: string[];
  /** The columns of each index and unique constraint, beside the primary key. */
  indexes: string[];
  /** `column -> table, on delete …`. */
  foreignKeys: string[];
};

export type Tables = Record<string, TableDescription>;

export function describeSqliteTables(database: Database): Tables {
  const names = database
    .query<{ name: string }, []>("select name from sqlite_schema where type = 'table'")
    .all();
  return Object.fromEntries(names.map(({ name }) => [name, describeSqliteTable(database, name)]));
}

type SqliteColumn = {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
};

function describeSqliteTable(database: Database, table: string): TableDescription {
  const columns = database
    .query<SqliteColumn, [string]>("select * from pragma_table_info(?)")
    .all(table);
  const indexes = database
    .query<{ name: string; unique: number; origin: string; partial: number }, [string]>(
      "select * from pragma_index_list(?)",
    )
    .all(table);
  const foreignKeys = database
    .query<{ from: string; table: string; on_delete: string }, [string]>(
      "select * from pragma_foreign_key_list(?)",
    )
    .all(table);
  return {
    columns: columns
      .map(({ name, type, notnull, dflt_value: value }) =>
        toColumn(name, type.toLowerCase(), notnull === 1, value),
      )
      .sort(),
    primaryKey: columns
      .filter(({ pk }) => pk > 0)
      .sort((a, b) => a.pk - b.pk)
      .map(({ name }) => name),
    indexes: indexes
      .filter(({ origin }) => origin !== "pk")
      .map(({ name, unique, partial }) => {
        const parts = database
          .query<{ name: string | null; desc: number; key: number }, [string]>(
            "select * from pragma_index_xinfo(?) where key = 1",
          )
          .all(name)
          .map((part) => `${part.name ?? "expression"}${part.desc === 1 ? " desc" : ""}`);
        return toIndex(parts, unique === 1, partial === 1);
      })
      .sort(),
    foreignKeys: foreignKeys
      .map((key) => `${key.from} -> ${key.table}, on delete ${key.on_delete.toLowerCase()}`)
      .sort(),
  };
}

export async function describePostgresTables(pool: SQL): Promise<Tables> {
  const tables: Tables = {};
  const columns = await pool.unsafe(`
    select table_name, column_name, data_type, is_nullable, column_default
    from information_schema.columns where table_schema = 'public'`);
  for (const column of columns) {
    const name = String(column.table_name);
    tables[name] ??= { columns: [], primaryKey: [], indexes: [], foreignKeys: [] };
    const value = column.column_default?.replace(/::[\w ]+$/, "") ?? null;
    tables[name].columns.push(
      toColumn(column.column_name, column.data_type, column.is_nullable === "NO", value),
    );
  }
  const indexes = await pool.unsafe(`
    select t.relname as table_name, i.indisprimary, i.indisunique, i.indpred is not null as partial,
      (select json_agg(coalesce(a.attname, 'expression') || case when i.indoption[k.at - 1] & 1 = 1 then ' desc' else '' end
        order by k.at) from unnest(i.indkey) with ordinality as k (attnum, at)
        left join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum) as parts
    from pg_index i join pg_class t on t.oid = i.indrelid
    where t.relnamespace = 'public'::regnamespace`);
  for (const index of indexes) {
    const table = tables[index.table_name];
    if (index.indisprimary && table) table.primaryKey = index.parts;
    else table?.indexes.push(toIndex(index.parts, index.indisunique, index.partial));
  }
  const foreignKeys = await pool.unsafe(`
    select c.conrelid::regclass::text as table_name, c.confrelid::regclass::text as target,
      c.confdeltype, a.attname
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
    where c.contype = 'f'`);
  for (const key of foreignKeys) {
    const onDelete = deletions[key.confdeltype] ?? key.confdeltype;
    tables[key.table_name]?.foreignKeys.push(
      `${key.attname} -> ${key.target}, on delete ${onDelete}`,
    );
  }
  for (const table of Object.values(tables)) {
    table.columns.sort();
    table.indexes.sort();
    table.foreignKeys.sort();
  }
  return tables;
}

const deletions: Record<string, string> = { a: "no action", c: "cascade", n: "set null" };
const kinds: Record<string, string> = { bigint: "integer", bytea: "blob" };

function toColumn(name: string, type: string, isRequired: boolean, value: string | null): string {
  const parts = [name, kinds[type] ?? type];
  if (isRequired) parts.push("not null");
  if (value !== null) parts.push(`default ${value}`);
  return parts.join(" ");
}

function toIndex(columns: readonly string[], isUnique: boolean, isPartial: boolean): string {
  const kind = [isUnique ? "unique" : "plain", ...(isPartial ? ["partial"] : [])];
  return `${columns.join(", ")}: ${kind.join(", ")}`;
}
