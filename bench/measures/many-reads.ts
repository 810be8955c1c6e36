import { loadServer, type Throughput } from "../load/load-server.ts";
import type { Bench, Measure, Row } from "../measure.ts";
import { alternate, compareRounds, median } from "../statistics.ts";
import { startNewHub } from "../subjects/hub-folder.ts";
import { findWhoami, type WhoamiCall } from "../subjects/whoami.ts";

const reads = 30;

/** The processor time of many reads in one message, compared with a message for each, on 1 and on 32 connections. */
export const manyReads: Measure = {
  name: "many-reads",
  async run(bench: Bench) {
    const { rounds, seconds } = bench.plan;
    await using hub = await startNewHub(bench);
    const load = (call: WhoamiCall, connections: number) => () =>
      loadServer({ ...call, pid: hub.pid }, seconds, connections);
    const executed = await findWhoami(hub);
    const one = await findWhoami(hub, { tool: "hub_read" });
    const many = await findWhoami(hub, { tool: "hub_read", count: reads });
    const subjects = {
      executed: load(executed, 1),
      one: load(one, 1),
      many: load(many, 1),
      oneOf32: load(one, 32),
      manyOf32: load(many, 32),
    };
    for (const warmUp of Object.values(subjects)) await warmUp();
    const runs = await alternate(rounds, subjects);
    const cpuUs = (name: keyof typeof subjects) => median(runs[name].map((run) => run.cpuUs));
    const rows: Row[] = [
      {
        what: `${reads} reads in one message, built in, one connection`,
        value: toShare(runs.many, runs.one),
        unit: "% of single calls",
        target: { atMost: 40 },
        details: {
          many_cpu_us_per_message: cpuUs("many"),
          one_cpu_us_per_call: cpuUs("one"),
          executed_cpu_us_per_call: cpuUs("executed"),
        },
      },
      {
        what: `${reads} reads in one message, built in, 32 connections`,
        value: toShare(runs.manyOf32, runs.oneOf32),
        unit: "% of single calls",
        target: null,
        details: {
          many_cpu_us_per_message: cpuUs("manyOf32"),
          one_cpu_us_per_call: cpuUs("oneOf32"),
        },
      },
    ];
    return rows;
  },
};

/** The processor time of a message as a share of that of as many single calls. */
function toShare(many: readonly Throughput[], one: readonly Throughput[]): number {
  return compareRounds(many, one, (message, call) => (100 * message.cpuUs) / (reads * call.cpuUs));
}
