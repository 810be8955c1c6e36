import { SQL } from "bun";

/** A new database on the given server, which is dropped at the end. */
export type BenchDatabase = AsyncDisposable & {
  url: string;
  /** Counts of this database, to be compared with later ones. */
  readCounts(): Promise<DatabaseCounts>;
};

export type DatabaseCounts = {
  /** Statements of all clients; NaN if the server does not load `pg_stat_statements`. */
  statements: number;
  /** Bytes written to the log of the server. */
  walBytes: number;
};

/** `address` is of a server whose user may create databases. */
export async function createBenchDatabase(address: string): Promise<BenchDatabase> {
  const admin = new SQL({ url: address, max: 1 });
  const name = `hub_bench_${crypto.randomUUID().replaceAll("-", "")}`;
  await admin.unsafe(`create database ${name} template template0 encoding 'UTF8' locale 'C'`);
  const url = new URL(address);
  url.pathname = `/${name}`;
  const sql = new SQL({ url: url.href, max: 1 });
  const isCounted = await sql.unsafe("create extension pg_stat_statements").then(
    () => sql.unsafe("select 1 from pg_stat_statements limit 1").then(() => true),
    () => false,
  );
  return {
    url: url.href,
    async readCounts() {
      const [wal] = await sql.unsafe("select (pg_current_wal_insert_lsn() - '0/0')::text as bytes");
      const walBytes = Number(wal.bytes);
      if (!isCounted) return { statements: Number.NaN, walBytes };
      const [found] = await sql.unsafe(`
        select sum(s.calls)::text as calls from pg_stat_statements s
        join pg_database d on d.oid = s.dbid where d.datname = current_database()`);
      return { statements: Number(found.calls), walBytes };
    },
    async [Symbol.asyncDispose]() {
      await sql.close();
      await admin.unsafe(`drop database ${name} with (force)`);
      await admin.close();
    },
  };
}
