/** The databases that run the migrations, each with its own SQL. */
export type SqlDialect = "sqlite" | "postgres";

/** A comment, a quoted text or name, a type with its collation, or the options of a table. */
const tokens =
  /--.*|'[^']*'|"[^"]*"|\b(text|integer|blob)\b( collate "default")?|\) (strict(?:, without rowid)?);/g;

const section = /^-- on (sqlite|postgres|both):\s*$/;

/** The types of a migration's source on PostgreSQL. Texts are compared by their bytes, as SQLite compares them. */
const postgresTypes: Readonly<Record<string, string>> = {
  text: 'text collate "C"',
  integer: "bigint",
  blob: "bytea",
};

/**
 * The SQL of a migration for one database, from the source that both have. The source is SQL of SQLite. PostgreSQL gets
 * its own types, and tables without `strict`. The lines after `-- on sqlite:` or `-- on postgres:` are for this database
 * only, as they are written, and `-- on both:` ends them. `text collate "default"` keeps the collation of the database:
 * a few released columns have it by mistake, and a new one does not. By mistake, too, two released comments have the other
 * collation in their text.
 */
export function toDialect(source: string, dialect: SqlDialect): string {
  let target: string = "both";
  const lines: string[] = [];
  for (const line of source.split(/(?<=\n)/)) {
    const named = section.exec(line)?.[1];
    if (named !== undefined) target = named;
    else if (target === "both") lines.push(translate(line, dialect));
    else if (target === dialect) lines.push(line);
  }
  return lines.join("");
}

function translate(line: string, dialect: SqlDialect): string {
  // The source is of this dialect but for these collations, and each start compares all migrations.
  if (dialect === "sqlite" && !line.includes('collate "default"')) return line;
  return line.replace(tokens, (token, type = "", collation = "", options = "") => {
    if (collation !== "") return type;
    if (dialect === "sqlite") return token;
    return options === "" ? (postgresTypes[type] ?? token) : ");";
  });
}
