import { SQL } from "bun";

const connectSeconds = 10;

/** Opens no connection yet. Integers beyond 2^53 arrive as bigints. */
export function openClient(options: SQL.PostgresOrMySQLOptions): SQL {
  return new SQL({ bigint: true, connectionTimeout: connectSeconds, ...options });
}
