import type { CopiedRow, CopiedTable } from "../../copy/copied-table.ts";
import type { PooledConnection } from "../connections/connection-pool.ts";
import { quoteName } from "../quote-name.ts";

const readRowsMax = 500;
const readBytesMax = 1024 ** 2;

/** Reads a table in portions of about a megabyte, in the order of the primary key. */
export async function* readCopiedRows(
  connection: PooledConnection,
  table: CopiedTable,
): AsyncGenerator<CopiedRow> {
  const { name, columns, key } = table;
  // As text, because integers keep their digits and bytes need no other rule.
  const list = columns.map((column) => `${quoteName(column.name)}::text`).join(", ");
  const order = key.map(quoteName).join(", ");
  const kinds = new Map(columns.map((column) => [column.name, casts[column.kind]]));
  const marks = key.map((each, index) => `$${index + 1}::text::${kinds.get(each)}`).join(", ");
  let limit = 16;
  let last: TextRow | null = null;
  for (;;) {
    const where: string = last === null ? "" : `where (${order}) > (${marks})`;
    const values: unknown[] = last === null ? [] : key.map((each) => last?.[each]);
    const { rows }: { rows: TextRow[] } = await connection.query<TextRow>(
      `select ${list} from ${quoteName(name)} ${where} order by ${order} limit ${limit}`,
      values,
    );
    for (const row of rows) yield toCopiedRow(table, row);
    if (rows.length < limit) return;
    last = rows.at(-1) ?? null;
    limit = toNextLimit(limit, rows);
  }
}

type TextRow = Record<string, string | null>;

const casts = { integer: "bigint", text: "text", blob: "bytea" } as const;

/** Rows of one table are about equally large. */
function toNextLimit(limit: number, rows: readonly TextRow[]): number {
  let bytes = 0;
  for (const row of rows) for (const value of Object.values(row)) bytes += value?.length ?? 0;
  if (bytes > readBytesMax) return Math.max(1, Math.floor(limit / 2));
  return Math.min(readRowsMax, limit * 2);
}

function toCopiedRow({ columns }: CopiedTable, row: TextRow): CopiedRow {
  return Object.fromEntries(
    columns.map(({ name, kind }) => {
      const text = row[name] ?? null;
      if (text === null || kind === "text") return [name, text];
      return [name, kind === "integer" ? BigInt(text) : Uint8Array.fromHex(text.slice(2))];
    }),
  );
}
