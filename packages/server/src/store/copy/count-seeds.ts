import { Database } from "bun:sqlite";
import { migrations } from "../migrate.ts";
import type { CopiedTable } from "./copied-table.ts";

/** The number of rows that the migrations themselves store, by table. */
export function countSeeds(tables: readonly CopiedTable[]): Map<string, number> {
  const database = new Database(":memory:");
  try {
    for (const { sql } of migrations) database.run(sql);
    return new Map(
      tables.map(({ name }) => {
        const counted = database.query<{ n: number }, []>(`select count(*) as n from "${name}"`);
        return [name, counted.get()?.n ?? 0];
      }),
    );
  } finally {
    database.close();
  }
}
