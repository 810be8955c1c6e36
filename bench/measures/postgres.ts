import { createHash } from "node:crypto";
import { loadServer } from "../load/load-server.ts";
import { sendOneByOne } from "../load/one-by-one.ts";
import { runPgbench, writeCallScript } from "../load/pgbench.ts";
import type { Bench, Measure, Row } from "../measure.ts";
import { alternate, compareRounds, median } from "../statistics.ts";
import { createBenchDatabase, type DatabaseCounts } from "../subjects/bench-database.ts";
import { createHubFolder, createUserToken } from "../subjects/hub-folder.ts";
import { startHub } from "../subjects/hub-program.ts";
import type { RunningProgram } from "../subjects/running-program.ts";
import { findWhoami } from "../subjects/whoami.ts";

const connections = 32;
const serversMax = 3;
const singleCalls = 200;

/**
 * The same call with one to three servers on one PostgreSQL, compared with SQLite and with pgbench, which
 * sends the statements of a call to the same server. All share the cores of this machine.
 */
export const postgres: Measure = {
  name: "postgres",
  async run(bench: Bench) {
    const address = process.env.HUB_BENCH_DATABASE_URL;
    if (!address) {
      bench.say("postgres: not measured, because HUB_BENCH_DATABASE_URL is not set");
      return [];
    }
    const { rounds, seconds } = bench.plan;
    await using resources = new AsyncDisposableStack();
    const sqlite = await createHubFolder(bench);
    const sqliteHub = resources.use(await startHub(bench, sqlite.dataDir));
    const onSqlite = await findWhoami({ url: sqliteHub.url, token: sqlite.token });

    const database = resources.use(await createBenchDatabase(address));
    const env = { HUB_DATABASE_URL: database.url, HUB_ENC_KEY: "b".repeat(64) };
    const folder = await bench.createFolder();
    const token = await createUserToken(folder, env);
    const servers: LoadedHub[] = [];
    for (let count = 0; count < serversMax; count += 1) {
      const dataDir = count === 0 ? folder : await bench.createFolder();
      const hub = resources.use(await startHub(bench, dataDir, undefined, env));
      servers.push({ ...(await findWhoami({ url: hub.url, token })), pid: hub.pid });
    }
    const tokenHash = createHash("sha256").update(token).digest();
    const script = await writeCallScript(await bench.createFolder(), tokenHash);

    const count = (load: () => Promise<number>) => counting(database.readCounts, load);
    const subjects = {
      sqlite: () => count(() => loadServers([{ ...onSqlite, pid: sqliteHub.pid }], seconds)),
      one: () => count(() => loadServers(servers.slice(0, 1), seconds)),
      two: () => count(() => loadServers(servers.slice(0, 2), seconds)),
      three: () => count(() => loadServers(servers, seconds)),
      pgbench: () => count(() => runPgbench(database.url, script, seconds)),
    };
    for (const warmUp of Object.values(subjects)) await warmUp();
    const runs = await alternate(rounds, subjects);
    const alone = await countAlone(database.readCounts, servers);

    const { sqlite: reference, one, pgbench } = runs;
    const of = "hub_execute on PostgreSQL, 32 connections";
    return [
      {
        what: `${of}, 1 server`,
        value: toRatio(one, reference),
        unit: "× SQLite",
        target: null,
        details: {
          ...toDetails(one),
          sqlite_calls_per_s: toPerSecond(reference),
          statements_of_a_single_call: alone,
        },
      },
      ...(["two", "three"] as const).map(
        (name, index): Row => ({
          what: `${of}, ${index + 2} servers`,
          value: toRatio(runs[name], one),
          unit: "× one server",
          target: null,
          details: toDetails(runs[name]),
        }),
      ),
      {
        what: `${of}, 1 server`,
        value: toRatio(one, pgbench),
        unit: "× pgbench",
        target: null,
        details: { pgbench_calls_per_s: toPerSecond(pgbench) },
      },
    ];
  },
};

type LoadedHub = Awaited<ReturnType<typeof findWhoami>> & Pick<RunningProgram, "pid">;
type Counted = { perSecond: number; statementsPerCall: number; walBytesPerCall: number };

/** Returns the calls per second of all servers together. */
async function loadServers(servers: readonly LoadedHub[], seconds: number): Promise<number> {
  const share = Math.floor(connections / servers.length);
  const loads = await Promise.all(servers.map((server) => loadServer(server, seconds, share)));
  return loads.reduce((sum, { perSecond }) => sum + perSecond, 0);
}

async function counting(
  readCounts: () => Promise<DatabaseCounts>,
  load: () => Promise<number>,
): Promise<Counted> {
  const before = await readCounts();
  const startedAt = performance.now();
  const perSecond = await load();
  const calls = (perSecond * (performance.now() - startedAt)) / 1000;
  const after = await readCounts();
  return {
    perSecond,
    statementsPerCall: (after.statements - before.statements) / calls,
    walBytesPerCall: (after.walBytes - before.walBytes) / calls,
  };
}

/** Statements of one call if no other call runs. */
async function countAlone(
  readCounts: () => Promise<DatabaseCounts>,
  [server]: readonly LoadedHub[],
): Promise<number> {
  if (server === undefined) return Number.NaN;
  const before = await readCounts();
  await sendOneByOne(Array(singleCalls).fill(server.request));
  const after = await readCounts();
  return (after.statements - before.statements) / singleCalls;
}

function toRatio(runs: readonly Counted[], reference: readonly Counted[]): number {
  return compareRounds(runs, reference, (one, other) => one.perSecond / other.perSecond);
}

function toPerSecond(runs: readonly Counted[]): number {
  return median(runs.map(({ perSecond }) => perSecond));
}

function toDetails(runs: readonly Counted[]): Record<string, number> {
  return {
    calls_per_s: toPerSecond(runs),
    statements_per_call: median(runs.map(({ statementsPerCall }) => statementsPerCall)),
    wal_bytes_per_call: median(runs.map(({ walBytesPerCall }) => walBytesPerCall)),
  };
}
