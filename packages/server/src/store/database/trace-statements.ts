import type { Database } from "bun:sqlite";
import type { LogEvent } from "kysely";
import type { Tracing } from "../../lib/tracing/tracing.ts";

type QueryTracing = Pick<Tracing, "addQuery" | "isActive">;

/** Records the statements that are prepared on this connection from now on. They only read. */
export function traceReads(database: Database, tracing: QueryTracing): void {
  const prepare = database.prepare.bind(database);
  const prepareTraced = (text: string) => {
    const statement = prepare(text);
    const get = statement.get.bind(statement);
    const all = statement.all.bind(statement);
    return Object.assign(statement, {
      get: (...values: Parameters<typeof get>) => read(text, () => get(...values)),
      all: (...values: Parameters<typeof all>) => read(text, () => all(...values)),
    });
  };
  function read<Found>(text: string, run: () => Found): Found {
    if (!tracing.isActive()) return run();
    const startedAt = performance.now();
    let hasFailed = true;
    try {
      const found = run();
      hasFailed = false;
      return found;
    } finally {
      const endedAt = performance.now();
      tracing.addQuery({ system: "sqlite", text, startedAt, endedAt, hasFailed });
    }
  }
  // Safe: its statements take and return what those of the connection's own method do.
  database.prepare = prepareTraced as Database["prepare"];
}

/** Records the statements of Kysely, after each of them. */
export function createQueryLog(tracing: QueryTracing): (event: LogEvent) => void {
  return ({ level, query, queryDurationMillis }) => {
    const endedAt = performance.now();
    const startedAt = endedAt - queryDurationMillis;
    const hasFailed = level === "error";
    tracing.addQuery({ system: "sqlite", text: query.sql, startedAt, endedAt, hasFailed });
  };
}
