import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase } from "./test-database.ts";

export type DataFolder = AsyncDisposable & { path: string };

/**
 * Creates a data folder that is deleted when the test ends. With `HUB_TEST_DATABASE_URL` its hub
 * uses a new database of that PostgreSQL server.
 */
export async function createDataFolder(): Promise<DataFolder> {
  const path = await mkdtemp(join(tmpdir(), "hub-test-"));
  const dropDatabase = await createTestDatabase(path);
  return {
    path,
    async [Symbol.asyncDispose]() {
      await rm(path, { recursive: true, force: true });
      await dropDatabase();
    },
  };
}
