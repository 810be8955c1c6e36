import { resolve } from "node:path";
import { openPostgresStore } from "../../../packages/server/src/store/postgres/open-postgres.ts";
import type { PostgresServer } from "../../support/postgres-server.ts";

const root = resolve(import.meta.dirname, "../../..");

/** The process that runs these files of `test/` with hubs on PostgreSQL. */
export async function toTestProcess(server: PostgresServer, files: readonly string[]) {
  const template = await server.createDatabase();
  // Migrated once instead of by the first process of each data folder.
  await (await openPostgresStore({ url: template, connectionsMax: 3 })).close();
  const options = ["--parallel=2", "--no-isolate", "--timeout=60000"];
  return {
    cmd: [process.execPath, "test", ...options, ...files],
    cwd: root,
    env: {
      ...process.env,
      HUB_TEST_DATABASE_URL: server.url,
      HUB_TEST_DATABASE_TEMPLATE: new URL(template).pathname.slice(1),
    },
  };
}
