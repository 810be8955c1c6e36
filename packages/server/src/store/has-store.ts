import type { Config } from "../config.ts";
import { hasDatabase } from "./sqlite/sqlite-connections.ts";

/** Whether the hub has a database already. Opens none. */
export function hasStore(config: Pick<Config, "dataDir" | "readDatabaseUrl">): boolean {
  return config.readDatabaseUrl() !== null || hasDatabase(config.dataDir);
}
