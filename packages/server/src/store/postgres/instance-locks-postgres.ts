import { createHash } from "node:crypto";
import type { InstanceLocks } from "../data-folder/instance-locks.ts";
import type { ConnectionPool } from "./connections/connection-pool.ts";

/** A lock that was lost with its connection is taken again in this time. */
const retryMs = 1_000;
/** With a margin for a busy machine. */
const retakeMsMax = 3 * retryMs;

/**
 * One advisory lock for each instance, held by a connection of its own. PostgreSQL releases it when
 * the connection ends. A connection may end while its process lives, so an instance without a lock
 * is not dead by that alone: its heartbeat decides.
 */
export function createAdvisoryLocks(
  pool: Pick<ConnectionPool, "query">,
  connect: () => Pick<ConnectionPool, "query" | "close">,
): InstanceLocks {
  return {
    retakeMsMax,
    async hold(id) {
      const connection = connect();
      const key = toLockKey(id);
      await connection.query(takeLock, [key]);
      const timer = setInterval(() => {
        // Without the database there is nothing to do until it is back.
        connection.query(takeLock, [key]).catch(() => {});
      }, retryMs);
      timer.unref();
      return async () => {
        clearInterval(timer);
        await connection.close();
      };
    },
    async isHeld(id) {
      const { rows } = await pool.query<{ held: boolean }>(
        `select exists (select 1 from pg_locks where locktype = 'advisory' and granted
          and database = (select oid from pg_database where datname = current_database())
          and objsubid = 1 and (classid::bigint << 32 | objid::bigint) = $1::bigint) as held`,
        [toLockKey(id)],
      );
      return rows[0]?.held ? true : null;
    },
    // A lock of a dead instance is gone.
    remove: async () => {},
    sweep: async () => {},
  };
}

/** The connection is opened again when it was lost, and then has no lock. */
const takeLock = `
  select pg_try_advisory_lock($1::bigint) where not exists (
    select 1 from pg_locks where locktype = 'advisory' and granted and pid = pg_backend_pid())`;

/** 63 bits of the id as a decimal text. */
function toLockKey(id: string): string {
  const bytes = createHash("sha256").update(`hub instance ${id}`).digest();
  return (bytes.readBigUInt64BE() >> 1n).toString();
}
