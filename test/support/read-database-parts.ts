import { queryDatabase } from "./query-database.ts";
import { usesPostgres } from "./test-database.ts";

export type DatabasePart = { name: string; bytes: Uint8Array };

const userSchemas = "not in ('pg_catalog', 'information_schema', 'pg_toast')";

/**
 * All that the PostgreSQL database of a data folder contains: the values of each table, and the files of
 * the tables, which also have the rows that were deleted. Empty on SQLite, whose file is in the folder.
 */
export function readDatabaseParts(dataDir: string): DatabasePart[] {
  return usesPostgres ? [...readValues(dataDir), ...readFiles(dataDir)] : [];
}

/** Large values are compressed in the files, so they are read as rows. */
function readValues(dataDir: string): DatabasePart[] {
  const tables = queryDatabase<{ name: string; columns: string }>(
    dataDir,
    `select format('%I.%I', table_schema, table_name) as name, string_agg(
       format(case data_type when 'bytea' then '%I' else '%I::text' end, column_name), ', ') as columns
     from information_schema.columns where table_schema ${userSchemas} group by 1`,
  );
  return tables.map(({ name, columns }) => {
    const rows = queryDatabase<object>(dataDir, `select ${columns} from ${name}`);
    const values = rows.flatMap((row) => Object.values(row)).filter((value) => value !== null);
    const separated = values.flatMap((value) => [Buffer.from(value), Buffer.from([0])]);
    return { name, bytes: Buffer.concat(separated) };
  });
}

function readFiles(dataDir: string): DatabasePart[] {
  const [user] = queryDatabase<{ may: boolean }>(
    dataDir,
    "select usesuper as may from pg_user where usename = current_user",
  );
  // Another user may not read files.
  if (user?.may !== true) return [];
  queryDatabase(dataDir, "checkpoint");
  return queryDatabase<DatabasePart>(
    dataDir,
    `select relname || ' (file)' as name, pg_read_binary_file(pg_relation_filepath(oid)) as bytes
     from pg_class where relkind in ('r', 't') and oid >= 16384 and pg_relation_size(oid) > 0`,
  );
}
