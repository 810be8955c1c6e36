import type { Database } from "bun:sqlite";

type ColumnKind = "integer" | "text" | "blob";

/** A table of the hub, in the words of both databases. */
export type CopiedTable = {
  name: string;
  columns: ReadonlyArray<{ name: string; kind: ColumnKind }>;
  /** The columns of its primary key. */
  key: readonly string[];
};

export type CopiedValue = bigint | string | Uint8Array | null;
export type CopiedRow = Record<string, CopiedValue>;

/** All tables but the list of migrations, so that each comes after those that it refers to. */
export function readCopiedTables(database: Database): CopiedTable[] {
  const names = database
    .query<{ name: string }, []>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite%' and name <> 'migrations' order by name",
    )
    .all()
    .map(({ name }) => name);
  const sorted: string[] = [];
  const add = (name: string) => {
    if (sorted.includes(name)) return;
    for (const parent of listParents(database, name)) if (parent !== name) add(parent);
    sorted.push(name);
  };
  for (const name of names) add(name);
  return sorted.map((name) => readTable(database, name));
}

function listParents(database: Database, name: string): string[] {
  return database
    .query<{ parent: string }, [string]>(
      'select distinct "table" as parent from pragma_foreign_key_list(?) order by 1',
    )
    .all(name)
    .map(({ parent }) => parent);
}

function readTable(database: Database, name: string): CopiedTable {
  const columns = database
    .query<{ name: string; type: string; pk: number | bigint }, [string]>(
      "select name, type, pk from pragma_table_info(?)",
    )
    .all(name);
  return {
    name,
    columns: columns.map((column) => ({ name: column.name, kind: toKind(column.type) })),
    key: columns
      .filter(({ pk }) => Number(pk) > 0)
      .sort((a, b) => Number(a.pk) - Number(b.pk))
      .map((column) => column.name),
  };
}

function toKind(type: string): ColumnKind {
  const kind = type.toLowerCase();
  if (kind === "integer" || kind === "text" || kind === "blob") return kind;
  throw new Error(`The copy knows no columns of the type ${type}.`);
}
