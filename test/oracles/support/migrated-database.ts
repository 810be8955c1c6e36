import { openPostgresStore } from "../../../packages/server/src/store/postgres/open-postgres.ts";
import type { PostgresServer } from "../../support/postgres-server.ts";

/** Creates a database that is migrated, and has nothing else. Returns its URL. */
async function createMigrated(server: PostgresServer): Promise<string> {
  const url = await server.createDatabase();
  await (await openPostgresStore({ url, connectionsMax: 3 })).close();
  return url;
}

/** Of each server, also if several files of a process use it. */
const templates = new WeakMap<PostgresServer, Promise<string>>();

/** The URL of a migrated database of which others are copies. No test changes it. */
export function findTemplate(server: PostgresServer): Promise<string> {
  const template = templates.get(server) ?? createMigrated(server);
  templates.set(server, template);
  return template;
}

/** Returns a function that creates such databases, which are migrated once. */
export async function openMigrated(server: PostgresServer): Promise<() => Promise<string>> {
  const template = await findTemplate(server);
  return () => server.createDatabase(template);
}
