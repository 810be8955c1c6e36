import { resolve } from "node:path";
import type { PostgresServer } from "../../support/postgres-server.ts";
import { findTemplate } from "./migrated-database.ts";

const root = resolve(import.meta.dirname, "../../..");

/** The process that runs these files of `test/` with hubs on PostgreSQL. */
export async function toTestProcess(server: PostgresServer, files: readonly string[]) {
  // Migrated once instead of by the first process of each data folder.
  const template = await findTemplate(server);
  const options = ["--parallel=2", "--no-isolate", "--timeout=180000"];
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
