import type { Tracing } from "../../../lib/tracing/tracing.ts";
import type { ConnectionPool } from "./connection-pool.ts";

/** Records each statement of a pool, with the time that it waits for a connection. */
export function tracePool(
  pool: ConnectionPool,
  tracing: Pick<Tracing, "addQuery" | "isActive">,
): ConnectionPool {
  const trace =
    (query: ConnectionPool["query"]): ConnectionPool["query"] =>
    async (text, values) => {
      if (!tracing.isActive()) return await query(text, values);
      const startedAt = performance.now();
      let hasFailed = true;
      try {
        const answer = await query(text, values);
        hasFailed = false;
        return answer as never;
      } finally {
        const endedAt = performance.now();
        tracing.addQuery({ system: "postgresql", text, startedAt, endedAt, hasFailed });
      }
    };
  return {
    ...pool,
    query: trace(pool.query),
    async reserve() {
      const reserved = await pool.reserve();
      return { ...reserved, query: trace(reserved.query) };
    },
  };
}
