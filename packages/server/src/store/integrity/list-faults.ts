import { Database } from "bun:sqlite";

/** More say nothing new. */
const faultsMax = 5;

/**
 * What is damaged in a database file, as SQLite says it; empty if nothing is. Reads the whole file, which takes seconds for a
 * gigabyte, and compares each index with its table. Other processes may write meanwhile.
 */
export function listFaults(path: string): string[] {
  // Not read-only: SQLite could not read a file that a killed process left with its log.
  const database = new Database(path, { readwrite: true });
  try {
    database.run("pragma query_only = on");
    database.run("pragma busy_timeout = 5000");
    database.run("pragma temp_store = memory");
    return database
      .query<{ integrity_check: string }, []>(`pragma integrity_check(${faultsMax})`)
      .all()
      .flatMap(({ integrity_check: text }) => text.split("\n"))
      .filter((line) => line !== "ok" && line !== "" && !line.startsWith("***"))
      .slice(0, faultsMax);
  } catch (err) {
    if (!isDamage(err)) throw err;
    return [err.message];
  } finally {
    database.close();
  }
}

/** Whether SQLite has met a damaged page. */
export function isDamage(err: unknown): err is Error {
  return (
    err instanceof Error && "code" in err && /^SQLITE_(?:CORRUPT|NOTADB)/.test(String(err.code))
  );
}
