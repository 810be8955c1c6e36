import { Database } from "bun:sqlite";
import { type Operation, toAddress } from "../corpus-file.ts";
import { type Engine, joinTexts } from "./engine.ts";

/** SQLite FTS5 in memory: all texts in one column, stems of any of the words, sorted by `bm25()`. */
export function createFts5Engine(corpus: readonly Operation[]): Engine {
  const db = new Database(":memory:");
  db.run(
    "CREATE VIRTUAL TABLE operations USING fts5 (address UNINDEXED, text, tokenize = 'porter unicode61')",
  );
  const insert = db.query("INSERT INTO operations (address, text) VALUES (?, ?)");
  db.transaction(() => {
    for (const operation of corpus) insert.run(toAddress(operation), joinTexts(operation));
  })();
  const select = db.query<{ address: string }, [string, number]>(
    "SELECT address FROM operations WHERE operations MATCH ? ORDER BY bm25(operations) LIMIT ?",
  );
  return {
    name: "SQLite FTS5",
    async search(query, limit) {
      const words = [...new Set(query.match(/[\p{L}\p{N}]+/gu))];
      if (words.length === 0) return [];
      const anyWord = words.map((word) => `"${word}"`).join(" OR ");
      return select.all(anyWord, limit).map(({ address }) => address);
    },
    measureAnswer: async () => null,
    async close() {
      db.close();
    },
  };
}
