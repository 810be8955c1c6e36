import { type RawBuilder, type SqlBool, sql } from "kysely";

/**
 * Whether one of the columns contains the text, as every database understands it. Not LIKE: SQLite searches
 * it character by character, which a text that is built for it makes slow.
 */
export function contains(columns: readonly string[], text: string): RawBuilder<SqlBool> {
  const each = columns.map((column) => {
    const value = sql`lower(${sql.ref(column)})`;
    return sql`replace(${value}, lower(${text}), '') <> ${value}`;
  });
  return sql<SqlBool>`(${sql.join(each, sql` or `)})`;
}
