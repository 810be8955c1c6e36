import { Database } from "bun:sqlite";
import { join } from "node:path";
import { loadServer, type Throughput } from "../load/load-server.ts";
import { sendOneByOne } from "../load/one-by-one.ts";
import type { Bench, Measure } from "../measure.ts";
import { alternate, compareRounds, median } from "../statistics.ts";
import { createHubFolder } from "../subjects/hub-folder.ts";
import { startHub } from "../subjects/hub-program.ts";
import { findWhoami } from "../subjects/whoami.ts";

const singleCalls = 100;

type Taken = Throughput & { slowestMs: number; purged: number; left: number };

/** More runs per second than any tested machine deletes. */
const oldRunsPerSecond = 20_000;
const dayMs = 86_400_000;
/** The retention. The runs of a filled folder are newer. */
const retentionDays = 6;

/**
 * Calls while the server deletes old calls, compared with calls while it does not. The purge runs at the start
 * of a server, so each round starts two: one with a retention that deletes the old calls, one without.
 */
export const purge: Measure = {
  name: "purge",
  async run(bench: Bench) {
    const { auditRows, rounds, seconds } = bench.plan;
    const { dataDir, token } = await createHubFolder(bench, { auditRows });
    const file = join(dataDir, "hub.sqlite");
    const take = async (keptDays: number): Promise<Taken> => {
      const env = { HUB_AUDIT_RETENTION_DAYS: `${keptDays}` };
      await using hub = await startHub(bench, dataDir, undefined, env);
      const { request, expectedBody } = await findWhoami({ url: hub.url, token });
      const before = countOld(file);
      const load = await loadServer({ request, expectedBody, pid: hub.pid }, seconds);
      const single = await sendOneByOne(Array(singleCalls).fill(request));
      const left = countOld(file);
      return { ...load, slowestMs: Math.max(...single), purged: before - left, left };
    };
    const idle = () => take(36_500);
    const purging = () => {
      addOldRuns(file, Math.ceil((seconds + 2) * oldRunsPerSecond));
      return take(retentionDays);
    };
    await idle();
    const runs = await alternate(rounds, { idle, purging });
    if (runs.purging.some((run) => run.left === 0)) {
      throw new Error("The purge ended before the calls.");
    }
    const ratio = compareRounds(
      runs.purging,
      runs.idle,
      (one, other) => one.perSecond / other.perSecond,
    );
    return [
      {
        what: "hub_execute at 32 connections while old calls are purged",
        value: ratio,
        unit: "× alone",
        target: { atLeast: 0.5 },
        details: {
          calls_per_s: median(runs.purging.map((run) => run.perSecond)),
          alone_calls_per_s: median(runs.idle.map((run) => run.perSecond)),
          purged_rows: median(runs.purging.map((run) => run.purged)),
          slowest_single_call_ms: median(runs.purging.map((run) => run.slowestMs)),
          alone_slowest_single_call_ms: median(runs.idle.map((run) => run.slowestMs)),
        },
      },
    ];
  },
};

function countOld(file: string): number {
  using database = new Database(file, { readonly: true });
  const query = database.query<{ count: number }, [number]>(
    "select count(*) as count from connector_runs where ended_at < ?",
  );
  return query.get(Date.now() - retentionDays * dayMs)?.count ?? 0;
}

/** Inserts copies of the newest run with an end ten days ago. */
function addOldRuns(file: string, count: number): void {
  using database = new Database(file, { readwrite: true });
  const names = database
    .query<{ name: string }, []>("select name from pragma_table_info('connector_runs')")
    .all()
    .map(({ name }) => name);
  const values: Record<string, string> = {
    // Ids increase with time, like those of the hub.
    id: "printf('%08x-%04x-7000-8000-%012x', ?2 / 65536, ?2 % 65536, random() & 0xffffffffffff)",
    ended_at: "?2",
  };
  const columns = names.map((name) => values[name] ?? `newest.${name}`);
  database
    .query(`
      with recursive numbers (number) as (
        select 1 union all select number + 1 from numbers where number < ?1
      ), newest as (select * from connector_runs order by id desc limit 1)
      insert into connector_runs (${names.join(", ")}) select ${columns.join(", ")}
      from numbers join newest`)
    .run(count, Date.now() - 10 * dayMs);
}
