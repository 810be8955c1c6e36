import { openPostgresStore } from "../../../packages/server/src/store/postgres/open-postgres.ts";
import type { PostgresServer } from "../../support/postgres-server.ts";

/** Creates a database that is migrated, and has nothing else. Returns its URL. */
export async function createMigrated(server: PostgresServer): Promise<string> {
  const url = await server.createDatabase();
  await (await openPostgresStore({ url, connectionsMax: 3 })).close();
  return url;
}

/** Returns a function that creates such databases, which are migrated once. */
export async function openMigrated(server: PostgresServer): Promise<() => Promise<string>> {
  const template = await createMigrated(server);
  return () => server.createDatabase(template);
}
