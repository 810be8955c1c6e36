import type { Migrator } from "../migrator.ts";
import { type ConnectionPool, createConnectionPool } from "./connections/connection-pool.ts";
import { explainStart, openClient } from "./connections/open-client.ts";
import { migratePostgres, postgresMigrations, readPostgresSchema } from "./migrate-postgres.ts";
import { toDatabaseAddress } from "./to-database-address.ts";

/** The migrations of a PostgreSQL database. */
export function createDatabaseMigrator(url: string): Migrator {
  async function withPool<T>(work: (pool: ConnectionPool) => Promise<T>): Promise<T> {
    try {
      const pool = createConnectionPool({ connect: () => openClient({ url, max: 1 }) });
      try {
        return await work(pool);
      } finally {
        await pool.close();
      }
    } catch (err) {
      throw await explainStart(err, url);
    }
  }

  return {
    kind: "PostgreSQL",
    place: toDatabaseAddress(url),
    check: () =>
      withPool(async (pool) => {
        const { missing, newer } = await readPostgresSchema(pool);
        return { pending: missing.map(({ name }) => name), newer };
      }),
    migrate: (options) => withPool((pool) => migratePostgres(pool, postgresMigrations, options)),
  };
}
