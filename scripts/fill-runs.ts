/**
 * Fills the audit with made-up runs, for measurements of large databases: SQLite in `HUB_DATA_DIR`, or PostgreSQL at
 * `HUB_DATABASE_URL`. A run takes about 600 bytes, without its index entries. The runs are spread evenly over the
 * days before now, over 200 users and 50 rows (or `--rows`), a few of which have most of them. 3 % did not succeed, 1 % are tests
 * and retries. Run the hub with `HUB_AUDIT_RETENTION_DAYS` above the days, or it purges them.
 *
 * `HUB_DATA_DIR=FOLDER bun scripts/fill-runs.ts --runs 1000000 [--days 40] [--rows 50]`
 */
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SQL } from "bun";
import { openStore } from "../packages/server/src/store/open-store.ts";
import { openPostgresStore } from "../packages/server/src/store/postgres/open-postgres.ts";
import { insertRow } from "../packages/server/src/store/rows/rows-table.ts";
import type { Store } from "../packages/server/src/store/store.ts";
import { insertUser } from "../packages/server/src/store/users/users-table.ts";

const usersCount = 200;
const dayMs = 86_400_000;
const insertedAtOnce = 250_000;

/** What the script needs of either database. */
type Target = AsyncDisposable & {
  run(sql: string): Promise<unknown>;
  /** The definitions of the indexes of the runs, by name, without the primary key. */
  readIndexes(): Promise<Map<string, string>>;
  countRuns(): Promise<number>;
  /** A query of one column `i`: the numbers from `first` up to `last`. */
  toSeries(first: number, last: number): string;
  /** A text of `digits` hexadecimal digits. */
  toHex(expression: string, digits: number): string;
  /** The element of a list of texts at an index. */
  pickFrom(list: readonly string[], index: string): string;
  tidy: string;
};

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1000000" },
    days: { type: "string", default: "40" },
    rows: { type: "string", default: "50" },
  },
});
const [runs, days, rowsCount] = [Number(values.runs), Number(values.days), Number(values.rows)];
const { HUB_DATABASE_URL: url, HUB_DATA_DIR: dataDir } = process.env;
if (!url && !dataDir) throw new Error("Set HUB_DATA_DIR or HUB_DATABASE_URL.");

const store = url ? await openPostgresStore({ url }) : await openStore({ dataDir: dataDir ?? "" });
const known = await addUsersAndRows(store);
await store.close();
await using target = url ? openPostgres(url) : openSqlite(join(dataDir ?? "", "hub.sqlite"));
await fill(target, known);

async function addUsersAndRows({ db }: Store) {
  const given = { createdAt: Date.now(), tags: ["fill"] };
  const users = Array.from({ length: usersCount }, () => crypto.randomUUID());
  for (const [index, id] of users.entries()) {
    const name = `Fill ${index}`;
    const email = `fill-${id}@example.com`;
    await insertUser(db, { ...given, id, email, name, role: "user", status: "active" });
  }
  const rows = Array.from({ length: rowsCount }, () => crypto.randomUUID());
  for (const [index, id] of rows.entries()) {
    const texts = { label: `Fill ${index} ${id}`, description: "" };
    const base = { key: "base_url", value: "https://example.com", sealed: null };
    await insertRow(db, { ...given, ...texts, id, connectorKey: "http", values: [base] });
  }
  return { users, rows };
}

async function fill(to: Target, { users, rows }: { users: string[]; rows: string[] }) {
  const startedAt = performance.now();
  const isEmpty = (await to.countRuns()) === 0;
  const indexes = isEmpty ? await to.readIndexes() : new Map<string, string>();
  for (const name of indexes.keys()) await to.run(`drop index ${name}`);

  const stepMs = (days * dayMs) / runs;
  const firstAt = Date.now() - days * dayMs;
  try {
    for (let first = 0; first < runs; first += insertedAtOnce) {
      const last = Math.min(runs, first + insertedAtOnce) - 1;
      await to.run(toInsert(to, { first, last, firstAt, stepMs, users, rows }));
      console.log(`${last + 1} runs after ${seconds(startedAt)} s`);
    }
  } finally {
    for (const definition of indexes.values()) await to.run(definition);
  }
  await to.run(to.tidy);
  console.log(`ready after ${seconds(startedAt)} s`);
}

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1000);
}

type Part = {
  first: number;
  last: number;
  firstAt: number;
  stepMs: number;
  users: string[];
  rows: string[];
};

/** Whole numbers only, so that both databases calculate the same. */
function toInsert(to: Target, { first, last, firstAt, stepMs, users, rows }: Part): string {
  const stepUs = Math.round(stepMs * 1000);
  /** Below 2^32, and different for each `salt`. */
  const hash = (i: string, salt: number) => `((${i} * 2654435761 + ${salt * 40503}) % 4294967291)`;
  const startedAt = (i: string) => `(${firstAt} + ${i} * ${stepUs} / 1000)`;
  const id = (i: string) => {
    const at = startedAt(i);
    const time = `${to.toHex(`${at} / 65536`, 8)} || '-' || ${to.toHex(`${at} % 65536`, 4)}`;
    const spread = `'-7' || ${to.toHex(`${hash(i, 1)} % 4096`, 3)} || '-8000-0000'`;
    return `${time} || ${spread} || ${to.toHex(i, 8)}`;
  };
  /** Few members of a list of `length` are picked often. */
  const skewed = (salt: number, length: number) => {
    const share = `(${hash("i", salt)} % 1000)`;
    return `${length} * ${share} * ${share} * ${share} / 1000000000`;
  };
  const isMeta = `${hash("i", 2)} % 20 = 0`;
  const status = `${hash("i", 3)} / 7 % 1000`;
  const source = `${hash("i", 4)} / 11 % 1000`;
  const latency = `(${hash("i", 5)} % 400)`;
  const columns = {
    id: id("i"),
    parent_run_id: `case when ${source} >= 997 and i > 1000 then ${id("(i - 1000)")} end`,
    connector_id: `case when not ${isMeta} then ${to.pickFrom(rows, skewed(6, rows.length))} end`,
    row_label: `case when not ${isMeta} then 'Northwind billing ' || ${hash("i", 6)} % 50 end`,
    operation_key: `case when ${isMeta} then 'hub_list' when i % 10000 = 7 then 'delete'
      else 'get_' || (${hash("i", 7)} % 20) end`,
    user_id: to.pickFrom(users, skewed(8, users.length)),
    token_id: "'0193b1f2-6a4e-4c55-8d0e-3f2a91c07b44'",
    source: `case when ${source} < 990 then 'mcp' when ${source} < 997 then 'test' else 'retry' end`,
    status: `case when ${status} < 970 then 'success' when ${status} < 990 then 'error'
      when ${status} < 997 then 'denied' else 'cancelled' end`,
    error_code: `case when ${status} >= 970 then 'upstream_error' end`,
    error_msg: `case when ${status} >= 970 then 'The system answered with status 502.' end`,
    request: `'{"path":"/invoices/' || ${hash("i", 9)} || '","query":{"page":1,"status":"open"}}'`,
    response: `'{"status":200,"body":{"text":"' ||
      substr('${"The invoice of customer Northwind is open. ".repeat(8)}', 1, cast(40 + ${hash("i", 10)} % 300 as integer)) || '"}}'`,
    request_cut: "0",
    latency_ms: latency,
    http_status: "200",
    ip_address: "'192.0.2.' || i % 250",
    user_agent: "'desk/1.0 (fill)'",
    instance_id: "'00000000-0000-4000-8000-000000000000'",
    started_at: startedAt("i"),
    ended_at: `${startedAt("i")} + ${latency}`,
  };
  return `insert into connector_runs (${Object.keys(columns).join(", ")})
    select ${Object.values(columns).join(",\n")} from (${to.toSeries(first, last)}) as numbers`;
}

function openPostgres(address: string): Target {
  const sql = new SQL({ url: address, max: 1, idleTimeout: 0 });
  return {
    run: (text) => sql.unsafe(text).simple(),
    async readIndexes() {
      const found = await sql.unsafe(`
        select indexname, indexdef from pg_indexes
        where tablename = 'connector_runs' and indexname <> 'connector_runs_pkey'`);
      return new Map(found.map((row: Record<string, string>) => [row.indexname, row.indexdef]));
    },
    async countRuns() {
      const [found] = await sql.unsafe(
        "select count(*)::int as count from (select 1 from connector_runs limit 1) as r",
      );
      return found.count;
    },
    toSeries: (first, last) => `select i from generate_series(${first}::bigint, ${last}) as i`,
    toHex: (expression, digits) => `lpad(to_hex((${expression})::bigint), ${digits}, '0')`,
    pickFrom: (list, index) => `('{${list.join(",")}}'::text[])[(1 + ${index})::integer]`,
    tidy: "vacuum (analyze) connector_runs",
    [Symbol.asyncDispose]: () => sql.close(),
  };
}

function openSqlite(path: string): Target {
  const database = new Database(path);
  // A hub may write at the same time.
  database.run("pragma busy_timeout = 60000");
  return {
    run: async (text) => database.run(text),
    async readIndexes() {
      const found = database
        .query<{ name: string; sql: string }, []>(
          "select name, sql from sqlite_schema where type = 'index' and tbl_name = 'connector_runs' and sql is not null",
        )
        .all();
      return new Map(found.map(({ name, sql }) => [name, sql]));
    },
    countRuns: async () =>
      database.query("select 1 from connector_runs limit 1").get() === null ? 0 : 1,
    toSeries: (first, last) => `with recursive numbers (i) as (
      select ${first} union all select i + 1 from numbers where i < ${last}) select i from numbers`,
    toHex: (expression, digits) => `printf('%0${digits}x', ${expression})`,
    pickFrom: (list, index) => `json_extract('${JSON.stringify(list)}', '$[' || (${index}) || ']')`,
    tidy: "pragma wal_checkpoint(truncate)",
    [Symbol.asyncDispose]: async () => database.close(),
  };
}
